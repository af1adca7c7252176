import formats from 'ajv-formats';
import { Ajv, type ErrorObject, str, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { countLookup } from '../../../telemetry/metrics.js';
import { TimeLimitExceeded, withinTime } from './time-limit.js';
import { isMultipleOf } from './multiple-of.js';
import { type JsonSchema, schemaProblem, SchemaProblem } from './json-schema.js';

/** A compiled JSON Schema. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /**
   * Returns the violations of a value, each with its JSON pointer; an empty list for a valid value.
   * @throws SchemaProblem if validation does not finish in time, because references are endless or grow exponentially.
   */
  problemsOf(value: unknown): string[];
}

const COMPILE_MS = 1_000;
const VALIDATE_MS = 500;
const MAX_PROBLEMS = 20;

/**
 * Replaces JavaScript's regular expressions by RE2. RE2 matches in linear time, so a client's pattern cannot block the
 * event loop.
 */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv caches compiled patterns by the result of `toString`.
    return { test: (text: string) => compiled.test(text), toString: () => `/${pattern}/` };
  },
  { code: 'linearRegExp' },
);

const OPTIONS: Options = {
  strict: false,
  // Inherited properties such as `constructor` do not count as present.
  ownProperties: true,
  allErrors: true,
  // A schema with inlined references could grow exponentially.
  inlineRefs: false,
  logger: false,
  code: { regExp: linearRegExp },
};

const compiled = new LRUCache<string, CompiledSchema>({ max: 64 });

/**
 * Compiles a schema of draft 2020-12 or draft-07. Without `$schema` it tries draft 2020-12 first.
 * @throws SchemaProblem when the schema is invalid or unsupported.
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const problem = schemaProblem(schema);
  if (problem !== null) throw problem;
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  countLookup('schemas', known !== undefined);
  if (known !== undefined) return known;
  const validate = compileAs(draftsOf(schema), schema);
  const made: CompiledSchema = {
    schema,
    problemsOf: (value) => check(validate, value),
  };
  compiled.set(key, made);
  return made;
}

type Draft = '2020-12' | 'draft-07';

function draftsOf(schema: JsonSchema): readonly Draft[] {
  const named = typeof schema === 'boolean' ? undefined : schema['$schema'];
  if (named === undefined) return ['2020-12', 'draft-07'];
  if (typeof named === 'string' && /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(named))
    return ['2020-12'];
  if (typeof named === 'string' && /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(named))
    return ['draft-07'];
  throw new SchemaProblem(['$schema'], 'must name draft 2020-12 or draft-07');
}

function compileAs(drafts: readonly Draft[], schema: JsonSchema): ValidateFunction {
  const [first, ...others] = drafts.map((draft) => attempt(draft, schema));
  const valid = [first, ...others].find((result) => typeof result === 'function');
  if (valid !== undefined) return valid;
  throw first instanceof SchemaProblem ? first : new SchemaProblem([], 'is not a valid JSON Schema');
}

function attempt(draft: Draft, schema: JsonSchema): ValidateFunction | SchemaProblem {
  const metaSchema = metaSchemaOf(draft);
  const ajv = ajvOf(draft, { meta: false, validateSchema: false });
  const bare = withoutDialect(schema);
  try {
    return withinTime(COMPILE_MS, () => {
      if (metaSchema.validateSchema(bare) !== true) throw new Error('it violates the meta-schema');
      return ajv.compile(bare);
    });
  } catch (error) {
    return new SchemaProblem([], `is not a valid JSON Schema: ${reasonOf(error, metaSchema.errors)}`);
  }
}

const metaSchemas = new Map<Draft, Ajv>();

/** Returns the validator of schemas. It is compiled once for each draft, because the compilation takes about 40 ms. */
function metaSchemaOf(draft: Draft): Ajv {
  const known = metaSchemas.get(draft);
  if (known !== undefined) return known;
  const made = ajvOf(draft, {});
  made.compile({}); // compiles the meta-schema
  metaSchemas.set(draft, made);
  return made;
}

function ajvOf(draft: Draft, more: Options): Ajv {
  const options = { ...OPTIONS, ...more };
  const ajv = draft === '2020-12' ? new Ajv2020(options) : new Ajv(options);
  formats.default(ajv);
  applyStandardSemantics(ajv);
  return ajv;
}

/** Replaces keywords whose behaviour in Ajv differs from the JSON Schema standard. */
function applyStandardSemantics(ajv: Ajv): void {
  // Ajv divides in binary floating point, where 19.99 is not a multiple of 0.01.
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (factor: number, value: number) => isMultipleOf(value, factor),
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  });
  // Makes Ajv accept `id`. It is a keyword of older drafts, and Ajv rejects schemas that contain it.
  ajv.removeKeyword('id');
}

/** Removes `$schema`: the dialect is chosen already, and Ajv rejects some spellings of its identifier. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function reasonOf(error: unknown, errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  if (first !== undefined) return `${first.instancePath || '/'} ${first.message ?? first.keyword}`;
  if (error instanceof RangeError) return 'its references are circular';
  return error instanceof Error ? error.message.slice(0, 200) : 'it cannot be compiled';
}

function check(validate: ValidateFunction, value: unknown): string[] {
  try {
    if (withinTime(VALIDATE_MS, () => validate(value))) return [];
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaProblem([], 'has circular references');
    if (error instanceof TimeLimitExceeded) throw new SchemaProblem([], 'exceeds the validation time limit');
    throw error;
  }
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
}

function describe({ instancePath, message, keyword, params }: ErrorObject): string {
  const detail = keyword === 'additionalProperties' ? ` (${String(params['additionalProperty'])})` : '';
  const allowed = keyword === 'enum' ? `: ${JSON.stringify(params['allowedValues']).slice(0, 200)}` : '';
  return `${instancePath || '/'} ${message ?? keyword}${detail}${allowed}`;
}
