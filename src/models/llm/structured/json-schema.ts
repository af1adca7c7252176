/** A JSON Schema of a request: an object or a boolean. */
export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

export function isSchemaObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keywords whose value is a schema, a list of schemas, or a map of schemas (draft 2020-12 and draft-07). */
const SCHEMA_KEYWORDS = [
  ...['items', 'additionalItems', 'additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['contains', 'propertyNames', 'not', 'if', 'then', 'else', 'contentSchema'],
];
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAP_KEYWORDS = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
];

export interface Subschema {
  readonly path: readonly (string | number)[];
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Returns the direct subschemas of a schema with their paths. */
export function subschemasOf({ path, schema }: Subschema): Subschema[] {
  const found: Subschema[] = [];
  const add = (value: unknown, ...steps: readonly (string | number)[]): void => {
    if (isSchemaObject(value)) found.push({ path: [...path, ...steps], schema: value });
  };
  for (const keyword of SCHEMA_KEYWORDS) add(schema[keyword], keyword);
  for (const keyword of LIST_KEYWORDS) {
    const list = schema[keyword];
    if (Array.isArray(list))
      list.forEach((value, index) => {
        add(value, keyword, index);
      });
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = schema[keyword];
    if (isSchemaObject(map)) for (const [name, value] of Object.entries(map)) add(value, keyword, name);
  }
  return found;
}

/** The reason why a schema is rejected, and its path in the schema. */
export class SchemaProblem extends Error {
  constructor(
    readonly path: readonly (string | number)[],
    message: string,
  ) {
    super(message);
    this.name = 'SchemaProblem';
  }
}

const MAX_SCHEMA_BYTES = 64 * 1024;
/** Maximum nesting depth. Deeper schemas overflow the compiler's stack. */
const MAX_DEPTH = 200;

/**
 * Checks the size, the depth and the references of a schema. Returns null if there is no problem.
 */
export function shapeProblem(schema: unknown): SchemaProblem | null {
  if (typeof schema === 'boolean') return null;
  if (!isSchemaObject(schema)) return new SchemaProblem([], 'a JSON Schema must be an object or a boolean');
  const size = sizeOf(schema);
  if (size === null) return new SchemaProblem([], `is nested more than ${MAX_DEPTH} levels deep`);
  if (size > MAX_SCHEMA_BYTES)
    return new SchemaProblem([], `has ${size} bytes; the maximum is ${MAX_SCHEMA_BYTES}`);
  const all = everySubschema(schema);
  if (all === null) return new SchemaProblem([], `is nested more than ${MAX_DEPTH} levels deep`);
  const base = typeof schema['$id'] === 'string' && URL.canParse(schema['$id']) ? schema['$id'] : undefined;
  const ids = new Set(
    all.flatMap(({ schema: { $id } }) => (typeof $id === 'string' ? documentOf($id, base) : [])),
  );
  for (const { path, schema: each } of all) {
    if ('$async' in each) return new SchemaProblem([...path, '$async'], 'is not a keyword of JSON Schema');
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = each[keyword];
      if (typeof reference !== 'string' || isLocal(reference, base, ids)) continue;
      return new SchemaProblem([...path, keyword], 'must not be a remote reference');
    }
  }
  return null;
}

/** Returns the size of the schema as JSON in UTF-8 bytes; null when the schema is too deep to serialize. */
function sizeOf(schema: object): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(schema));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** All subschemas of a schema, itself first; null if it is too deep. */
export function everySubschema(root: Readonly<Record<string, unknown>>): Subschema[] | null {
  const all: Subschema[] = [];
  let level: Subschema[] = [{ path: [], schema: root }];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return null;
    all.push(...level);
    level = level.flatMap(subschemasOf);
  }
  return all;
}

/** Resolves a URI against `base` and removes its fragment. */
function documentOf(uri: string, base: string | undefined): string {
  const bare = uri.replace(/#.*$/, '');
  return URL.canParse(bare, base) ? new URL(bare, base).href : bare;
}

function isLocal(reference: string, base: string | undefined, ids: ReadonlySet<string>): boolean {
  return reference.startsWith('#') || ids.has(documentOf(reference, base));
}
