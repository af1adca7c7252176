import formats from 'ajv-formats';
import { Ajv, type ErrorObject, str, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { countLookup } from '../../../telemetry/metrics.js';
import { everySubschema, isSchemaObject, type JsonSchema, SchemaProblem, shapeProblem } from './json-schema.js';
import { areUnique, isMultipleOf } from './keywords.js';
import { patternSize } from './pattern-size.js';
import { costProblem } from './schema-cost.js';

/** A compiled JSON Schema. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /**
   * Returns the violations of a value, each with its JSON pointer; an empty list for a valid value.
   * @throws SchemaProblem if the value needs too many steps, because references multiply with its depth.
   */
  problemsOf(value: unknown): string[];
}

/** Maximum number of steps to validate a value. A step is a subschema that is compared with a part of the value. */
const MAX_STEPS = 500_000;
/** Number of comparisons of a character with a part of a pattern, or of a value with an enumeration, in one step. */
const COMPARISONS_PER_STEP = 50;
const MAX_PROBLEMS = 20;

/**
 * Replaces JavaScript's regular expressions by RE2. RE2 matches in linear time, so a client's pattern cannot block the
 * event loop.
 */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const size = patternSize(pattern);
    const test = (text: string): boolean => {
      takeSteps((text.length * size) / COMPARISONS_PER_STEP);
      return compiled.test(text);
    };
    // Ajv caches compiled patterns by the result of `toString`.
    return { test, toString: () => `/${pattern}/` };
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
  // Optimizing takes time quadratic in the number of alternatives.
  code: { regExp: linearRegExp, optimize: false },
};

/** Compiled schemas, and the problems of refused ones. */
const compiled = new LRUCache<string, CompiledSchema | SchemaProblem>({ max: 64 });

/**
 * Compiles a schema of draft 2020-12 or draft-07. Without `$schema` it tries draft 2020-12 first.
 * @throws SchemaProblem when the schema is invalid or unsupported.
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const problem = shapeProblem(schema);
  if (problem !== null) throw problem;
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  countLookup('schemas', known !== undefined);
  const made = known ?? compiledOrProblem(schema);
  compiled.set(key, made);
  if (made instanceof SchemaProblem) throw made;
  return made;
}

function compiledOrProblem(schema: JsonSchema): CompiledSchema | SchemaProblem {
  try {
    const problem = isSchemaObject(schema) ? costProblem(everySubschema(schema) ?? []) : null;
    if (problem !== null) return problem;
    const validate = compileAs(draftsOf(schema), schema);
    return { schema, problemsOf: (value) => check(validate, value) };
  } catch (error) {
    if (error instanceof SchemaProblem) return error;
    throw error;
  }
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
  let problem: SchemaProblem | undefined;
  for (const draft of drafts) {
    const result = attempt(draft, schema);
    if (typeof result === 'function') return result;
    problem ??= result;
  }
  throw problem ?? new SchemaProblem([], 'is not a valid JSON Schema');
}

function attempt(draft: Draft, schema: JsonSchema): ValidateFunction | SchemaProblem {
  const metaSchema = metaSchemaOf(draft);
  const ajv = ajvOf(draft, { meta: false, validateSchema: false });
  const bare = withoutDialect(schema);
  try {
    if (metaSchema.validateSchema(bare) !== true) throw new Error('it violates the meta-schema');
    return ajv.compile(countingSteps(bare));
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
  // Ajv compares every pair of items.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isRequired: boolean, items: readonly unknown[]) => !isRequired || areUnique(items),
    error: { message: 'must NOT have duplicate items' },
  });
  ajv.addKeyword({
    keyword: STEPS,
    schemaType: 'number',
    validate: (steps: number) => {
      takeSteps(steps);
      return true;
    },
  });
  // Makes Ajv accept `id`. It is a keyword of older drafts, and Ajv rejects schemas that contain it.
  ajv.removeKeyword('id');
}

/** The keyword that counts the steps of a validation. It stands in every subschema. */
const STEPS = 'x-steps-of-validation';

/** Steps left for the current validation, which is synchronous. */
let stepsLeft = Infinity;

class TooManySteps extends Error {}

/** @throws TooManySteps */
function takeSteps(count: number): void {
  stepsLeft -= count;
  if (stepsLeft < 0) throw new TooManySteps();
}

/** A copy of a schema whose subschemas count their evaluations. */
function countingSteps(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const copy = structuredClone(schema);
  for (const { schema: each } of everySubschema(copy) ?? []) {
    const values = Array.isArray(each['enum']) ? each['enum'].length : 0;
    Object.assign(each, { [STEPS]: 1 + values / COMPARISONS_PER_STEP });
  }
  return copy;
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
  stepsLeft = MAX_STEPS;
  try {
    if (validate(value)) return [];
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaProblem([], 'has circular references');
    if (error instanceof TooManySteps) throw new SchemaProblem([], `needs more than ${MAX_STEPS} steps to validate`);
    throw error;
  } finally {
    stepsLeft = Infinity;
  }
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
}

function describe({ instancePath, message, keyword, params }: ErrorObject): string {
  const detail = keyword === 'additionalProperties' ? ` (${String(params['additionalProperty'])})` : '';
  const allowed = keyword === 'enum' ? `: ${JSON.stringify(params['allowedValues']).slice(0, 200)}` : '';
  return `${instancePath || '/'} ${message ?? keyword}${detail}${allowed}`;
}
