import { Invalid, type Location } from '../errors/index.js';
import { hash32 } from '../lexical/impacts.js';
import type { Scope } from './scope.js';

/**
 * A tenant may be in parts, which lie on nodes of a cluster as tenants do. The rows of a part have an id of their own in
 * `app_id`: the tenant's, a separator that no tenant has in its id or name (a constraint of `apps`), and the number of
 * the part. Part 0 has the id of the tenant, and is all there is of most tenants.
 *
 * A document and all that hangs on it is in one part, by its id. A statement about one document asks that part, one about
 * many all of them. Keys, folders, chats, idempotency keys, limits and logs are the tenant's.
 */
const SEPARATOR = '\u001f';

export const MAX_SHARDS = 64;

/** A tenant, as far as its parts go. */
type Parted = Pick<Scope, 'appId' | 'parts'>;

/** What stands in `app_id` of the rows of each part, the tenant's own id first. */
export function shardIds({ appId, parts }: Parted): string[] {
  return Array.from({ length: parts }, (_, number) => idOf(appId, number));
}

/** The tenant of rows with that `app_id`. */
export function tenantOf(appId: string): string {
  const [tenant = ''] = appId.split(SEPARATOR, 1);
  return tenant;
}

/** Each part as a scope of its own. */
export function shardsOf(scope: Scope): Scope[] {
  return shardIds(scope).map((appId) => ({ ...scope, appId, parts: 1 }));
}

/**
 * The part that a document is in, or would be.
 * @param documentId in whatever case
 */
export function shardOf(scope: Scope, documentId: string): Scope {
  if (scope.parts === 1) return scope;
  return { ...scope, appId: idOf(scope.appId, hash32(documentId.toLowerCase()) % scope.parts), parts: 1 };
}

/** What is about documents, by the parts that these are in; parts without any are left out. */
export function byShard<T>(
  scope: Scope,
  items: readonly T[],
  documentId: (item: T) => string,
): (readonly [part: Scope, items: T[]])[] {
  const parts = new Map<string, readonly [Scope, T[]]>();
  for (const item of items) {
    const part = shardOf(scope, documentId(item));
    const known = parts.get(part.appId);
    if (known === undefined) parts.set(part.appId, [part, [item]]);
    else known[1].push(item);
  }
  return [...parts.values()];
}

/** Reads the id or name of a tenant. @throws Invalid for one that would be of a part. */
export function tenantText(value: unknown, loc: Location): string {
  const text = value as string;
  if (text.includes(SEPARATOR)) throw Invalid.at(loc, 'Value error, U+001F cannot stand here');
  return text;
}

function idOf(appId: string, part: number): string {
  return part === 0 ? appId : `${appId}${SEPARATOR}${part}`;
}
