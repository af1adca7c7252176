import { Invalid, type Location } from '../errors/index.js';
import { hash32 } from '../lexical/impacts.js';
import type { Scope } from './scope.js';

/**
 * Separates the tenant's id from the shard number in `app_id`. A constraint of `apps` keeps it out of tenant ids and
 * names. Shard 0 has the id of the tenant and is the only shard of most tenants. Shards lie on the nodes of a cluster
 * like tenants.
 *
 * The id of a document decides its shard, which holds all rows of the document. A statement about one document queries
 * its shard, a statement about many queries all shards. Keys, folders, chats, idempotency keys, limits and logs belong
 * to the whole tenant.
 */
const SEPARATOR = '\u001f';

export const MAX_SHARDS = 64;

/** The fields of a tenant that determine its shards. */
type Sharded = Pick<Scope, 'appId' | 'parts'>;

/** Returns the `app_id` of each shard, the tenant's own id first. */
export function shardIds({ appId, parts }: Sharded): string[] {
  return Array.from({ length: parts }, (_, number) => idOf(appId, number));
}

/** Returns the tenant of an `app_id`. */
export function tenantOf(appId: string): string {
  const [tenant = ''] = appId.split(SEPARATOR, 1);
  return tenant;
}

/** Returns the scope of each shard. */
export function shardsOf(scope: Scope): Scope[] {
  return shardIds(scope).map((appId) => ({ ...scope, appId, parts: 1 }));
}

/**
 * Returns the scope of the shard of a document, whether or not the document exists.
 * @param documentId in any case
 */
export function shardOf(scope: Scope, documentId: string): Scope {
  if (scope.parts === 1) return scope;
  return { ...scope, appId: idOf(scope.appId, hash32(documentId.toLowerCase()) % scope.parts), parts: 1 };
}

/** Groups items by the shard of their document. Omits shards without items. */
export function byShard<T>(
  scope: Scope,
  items: readonly T[],
  documentId: (item: T) => string,
): (readonly [shard: Scope, items: T[]])[] {
  const shards = new Map<string, readonly [Scope, T[]]>();
  for (const item of items) {
    const shard = shardOf(scope, documentId(item));
    const known = shards.get(shard.appId);
    if (known === undefined) shards.set(shard.appId, [shard, [item]]);
    else known[1].push(item);
  }
  return [...shards.values()];
}

/** Validates the id or name of a tenant. @throws Invalid when it contains the separator. */
export function tenantText(value: unknown, loc: Location): string {
  const text = value as string;
  if (text.includes(SEPARATOR)) throw Invalid.at(loc, 'Value error, must not contain U+001F');
  return text;
}

function idOf(appId: string, shard: number): string {
  return shard === 0 ? appId : `${appId}${SEPARATOR}${shard}`;
}
