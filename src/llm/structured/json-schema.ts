/** A JSON Schema as a caller gives it: an object, or a boolean. */
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

/** Schemas directly inside a schema, with their paths from it. */
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
