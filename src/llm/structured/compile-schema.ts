import formats from 'ajv-formats';
import { Ajv, type ErrorObject, str, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { countLookup } from '../../telemetry/metrics.js';
import { TimeLimitExceeded, withinTime } from './time-limit.js';
import { isMultipleOf } from './multiple-of.js';
import { type JsonSchema, schemaProblem, SchemaProblem } from './json-schema.js';

/** A JSON Schema ready to check values. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /**
   * What is wrong with a value, one line each with its place; empty when it is valid.
   * @throws SchemaProblem when the check cannot be finished (endless or exponential references).
   */
  problemsOf(value: unknown): string[];
}

const COMPILE_MS = 1_000;
const VALIDATE_MS = 500;
const MAX_PROBLEMS = 20;

/** Patterns are matched in linear time (RE2): a caller's pattern must not hold up everybody. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // The library keeps patterns by their text.
    return { test: (text: string) => compiled.test(text), toString: () => `/${pattern}/` };
  },
  { code: 'linearRegExp' },
);

const OPTIONS: Options = {
  strict: false,
  // A property that every object inherits, such as `constructor`, is absent unless the value has it itself.
  ownProperties: true,
  allErrors: true,
  // References are compiled once each; inlining them would multiply.
  inlineRefs: false,
  logger: false,
  code: { regExp: linearRegExp },
};

const compiled = new LRUCache<string, CompiledSchema>({ max: 64 });

/**
 * Compiles a schema of draft 2020-12 or draft-07. Without `$schema` the newer one is tried first.
 * @throws SchemaProblem when it is not a valid schema, or one that is not accepted.
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
  throw new SchemaProblem(['$schema'], 'names a dialect other than draft 2020-12 and draft-07');
}

function compileAs(drafts: readonly Draft[], schema: JsonSchema): ValidateFunction {
  const [first, ...others] = drafts.map((draft) => attempt(draft, schema));
  const valid = [first, ...others].find((result) => typeof result === 'function');
  if (valid !== undefined) return valid;
  throw first instanceof SchemaProblem ? first : new SchemaProblem([], 'is not a valid JSON Schema');
}

function attempt(draft: Draft, schema: JsonSchema): ValidateFunction | SchemaProblem {
  const ajv = draft === '2020-12' ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
  formats.default(ajv);
  asTheStandardSays(ajv);
  try {
    const bare = withoutDialect(schema);
    return withinTime(COMPILE_MS, () => ajv.compile(bare));
  } catch (error) {
    return new SchemaProblem([], `is not a valid JSON Schema: ${reasonOf(error, ajv.errors)}`);
  }
}

/** Replaces keywords that the library reads otherwise than JSON Schema does. */
function asTheStandardSays(ajv: Ajv): void {
  // The library divides in binary floating point, where 19.99 is no multiple of 0.01.
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (factor: number, value: number) => isMultipleOf(value, factor),
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  });
  // `id` is a keyword of drafts before these; the library refuses schemas that have it.
  ajv.removeKeyword('id');
}

/** The dialect is chosen by now, and its identifier is written in more ways than the library knows. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function reasonOf(error: unknown, errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  if (first !== undefined) return `${first.instancePath || '/'} ${first.message ?? first.keyword}`;
  if (error instanceof RangeError) return 'its references do not end';
  return error instanceof Error ? error.message.slice(0, 200) : 'it cannot be compiled';
}

function check(validate: ValidateFunction, value: unknown): string[] {
  try {
    if (withinTime(VALIDATE_MS, () => validate(value))) return [];
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaProblem([], 'has references that do not end');
    if (error instanceof TimeLimitExceeded) throw new SchemaProblem([], 'takes too long to check');
    throw error;
  }
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
}

function describe({ instancePath, message, keyword, params }: ErrorObject): string {
  const detail = keyword === 'additionalProperties' ? ` (${String(params['additionalProperty'])})` : '';
  const allowed = keyword === 'enum' ? `: ${JSON.stringify(params['allowedValues']).slice(0, 200)}` : '';
  return `${instancePath || '/'} ${message ?? keyword}${detail}${allowed}`;
}
