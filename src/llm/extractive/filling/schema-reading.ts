import { isSchemaObject } from '../../structured/json-schema.js';

export type Schema = Readonly<Record<string, unknown>>;

/** The schema that a reference inside the document points at (JSON Pointer or `$anchor`); undefined if there is none. */
export function resolveReference(reference: string, root: unknown): unknown {
  const fragment = decodeURIComponent(reference.replace(/^[^#]*#/, ''));
  return fragment
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => {
      const key = step.replace(/~1/g, '/').replace(/~0/g, '~');
      if (Array.isArray(at)) return at[Number(key)] as unknown;
      return isSchemaObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, root);
}

/** The types a schema names or implies, in its order; `string` when nothing is said. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  if ('properties' in schema || 'required' in schema) return ['object'];
  return 'items' in schema ? ['array'] : ['string'];
}
