/** Keywords that the strict mode of the OpenAI API takes; any other makes it refuse the request. */
const STRICT_KEYWORDS = new Set([
  '$schema',
  '$defs',
  '$ref',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'definitions',
]);

type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a schema lies in the subset that OpenAI's strict structured output accepts: every object closed, every
 * property required, known keywords only. Outside it the schema is sent with `strict: false`.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isSchema(schema) || Object.keys(schema).some((keyword) => !STRICT_KEYWORDS.has(keyword))) return false;
  const properties = isSchema(schema['properties']) ? schema['properties'] : undefined;
  const isObject = schema['type'] === 'object' || properties !== undefined;
  if (isObject && !isClosed(schema, properties ?? {})) return false;
  return childrenOf(schema).every(isStrictSchema);
}

function isClosed(schema: Schema, properties: Schema): boolean {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return (
    schema['additionalProperties'] === false &&
    Object.keys(properties).every((name) => required.includes(name))
  );
}

function childrenOf(schema: Schema): unknown[] {
  const children: unknown[] = [];
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const members = schema[keyword];
    if (isSchema(members)) children.push(...Object.values(members));
  }
  if (schema['items'] !== undefined) children.push(schema['items']);
  if (Array.isArray(schema['anyOf'])) children.push(...(schema['anyOf'] as unknown[]));
  return children;
}
