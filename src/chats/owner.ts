import sql, { empty, type Sql } from 'sql-template-tag';
import { endUserOf, type Scope } from '../auth/scope.js';
import type { ConversationEntity } from './conversation.entity.js';

/** The owner of a conversation: an end user, a key without an end user, or (both null) the administrators. */
export type Owner = Pick<ConversationEntity, 'endUserId' | 'keyId'>;

/** Selects some of the conversations that the key of a request may read. */
export interface OwnerChoice {
  /** null: the request names no end user. */
  readonly endUserId: string | null;
  /** true: only conversations that the request would continue; false: only other ones; null or absent: both. */
  readonly own?: boolean | null;
}

/**
 * Returns the owner of the conversations that a request begins: the end user of the key or of the request. Without an
 * end user, the owner is the key, or the administrators if the key is an administrator's.
 */
export function ownerOf(scope: Scope, named: string | null): Owner {
  const endUserId = endUserOf(scope, named);
  const isShared = endUserId !== null || scope.permissions.has('admin');
  return { endUserId, keyId: isShared ? null : scope.keyId };
}

/** Condition on a row `c` of `conversations`: it belongs to this owner. */
export function ownedBy({ endUserId, keyId }: Owner): Sql {
  if (endUserId !== null) return sql`c.end_user_id = ${endUserId}`;
  // The keys of older conversations are unknown; every key without an end user could read them.
  return keyId === null
    ? sql`c.end_user_id is null and c.key_id is null`
    : sql`c.end_user_id is null and (c.key_id = ${keyId} or c.any_key)`;
}

/**
 * Condition on a row `c` of `conversations`: the request may read and change it. This is the one rule for chats,
 * conversations and responses. A request reaches the conversations that it would continue. A request of an
 * administrator without an end user reaches all.
 */
export function reaches(scope: Scope, { endUserId: named, own = null }: OwnerChoice): Sql {
  const owner = ownerOf(scope, named);
  const isEverything = owner.endUserId === null && owner.keyId === null;
  if (own === false) {
    return isEverything ? sql`(c.end_user_id is not null or c.key_id is not null)` : sql`false`;
  }
  return isEverything && own === null ? sql`true` : ownedBy(owner);
}

/**
 * The condition of {@link reaches}, for a protocol in which a request without an end user reaches no conversation of an
 * end user.
 */
export function reachesNamed(scope: Scope, named: string | null): Sql {
  const ofNobody = endUserOf(scope, named) === null ? sql` and c.end_user_id is null` : empty;
  return sql`${reaches(scope, { endUserId: named })}${ofNobody}`;
}

/** Returns the scope of the person who reads: the end user of the key or of the request, or else the key. */
export function readerOf(scope: Scope, named: string | null): Scope {
  return { ...scope, endUserId: endUserOf(scope, named) };
}
