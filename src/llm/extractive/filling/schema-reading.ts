import { isSchemaObject, subschemasOf, type Subschema } from '../../structured/json-schema.js';

export type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema that a reference inside the document points at: a JSON Pointer, an `$anchor` or the `$id` of a part;
 * undefined if there is none.
 */
export function resolveReference(reference: string, root: unknown): unknown {
  const [document = '', encoded = ''] = reference.split('#', 2);
  const base = document === '' ? root : namedIn(root, '$id', document);
  const fragment = decodeURIComponent(encoded);
  if (fragment !== '' && !fragment.startsWith('/')) return namedIn(base, '$anchor', fragment);
  return fragment
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => {
      const key = step.replace(/~1/g, '/').replace(/~0/g, '~');
      if (Array.isArray(at)) return at[Number(key)] as unknown;
      return isSchemaObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, base);
}

/** The schema within `root`, level by level, that has this name. */
function namedIn(root: unknown, keyword: '$anchor' | '$id', name: string): unknown {
  let level: Subschema[] = isSchemaObject(root) ? [{ path: [], schema: root }] : [];
  while (level.length > 0) {
    const named = level.find(({ schema }) => schema[keyword] === name || schema[keyword] === `#${name}`);
    if (named !== undefined) return named.schema;
    level = level.flatMap(subschemasOf);
  }
  return undefined;
}

/** The types a schema names or implies, in its order; `string` when nothing is said. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  if ('properties' in schema || 'required' in schema) return ['object'];
  return 'items' in schema ? ['array'] : ['string'];
}
