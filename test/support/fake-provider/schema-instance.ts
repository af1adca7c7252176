type Schema = Readonly<Record<string, unknown>>;

/** Returns a valid instance of a schema with common keywords: the answer of a well-behaved model. */
export function instanceOf(schema: unknown, root: unknown = schema): unknown {
  if (typeof schema !== 'object' || schema === null) return {};
  const { $ref, enum: options, const: constant, anyOf, oneOf, allOf } = schema as Schema;
  if (typeof $ref === 'string') return instanceOf(resolve($ref, root), root);
  if (constant !== undefined) return constant;
  if (Array.isArray(options)) return options[0];
  for (const choices of [anyOf, oneOf]) if (Array.isArray(choices)) return instanceOf(choices[0], root);
  if (Array.isArray(allOf))
    return Object.assign({}, ...allOf.map((part: unknown) => instanceOf(part, root) as object));
  return ofType(schema as Schema, root);
}

function ofType(schema: Schema, root: unknown): unknown {
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 1) }, () =>
        instanceOf(schema['items'] ?? {}, root),
      );
    default:
      return objectOf(schema, root);
  }
}

function objectOf(schema: Schema, root: unknown): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Schema;
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(required.map((name) => [name, instanceOf(properties[name] ?? {}, root)]));
}

function stringOf(schema: Schema): string {
  if (schema['format'] === 'date') return '2024-05-01';
  if (schema['format'] === 'email') return 'a@example.com';
  return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
}

function numberOf(schema: Schema): number {
  const low = Number(schema['minimum'] ?? Number(schema['exclusiveMinimum'] ?? 0) + 1);
  const step = Number(schema['multipleOf'] ?? 1);
  return Math.ceil(low / step) * step;
}

function resolve(ref: string, root: unknown): unknown {
  return ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .reduce<unknown>(
      (at, part) => (at as Schema)[decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~')],
      root,
    );
}
