import sql, { empty, type Sql } from 'sql-template-tag';
import { type Caller, endUserOf, type Owner, userPrincipal } from './principal.js';

/**
 * Returns whose the talk is that a request begins or continues: the person's of the key or of the request. Without a
 * person it is the key's, or the tenant's if the key is an administrator's.
 * @param named the end user that the request names
 */
export function talkOwner(
  caller: Pick<Caller, 'endUserId' | 'keyId' | 'permissions'>,
  named: string | null,
): Owner {
  const endUserId = endUserOf(caller, named);
  if (endUserId !== null) return userPrincipal(endUserId);
  return caller.permissions.has('admin') ? null : `key:${caller.keyId}`;
}

/** The principals who may read talk of an owner; none: only administrators without a person. */
export function talkReaders(owner: Owner): string[] {
  return owner === null ? [] : [owner];
}

/**
 * The condition on rows of talk that a request may read, to be appended to another condition. An administrator without a
 * person reads all talk of the tenant, unless the request names a person.
 * @param readers the column `readers` of the row
 */
export function andTalkVisibleTo(
  caller: Pick<Caller, 'endUserId' | 'keyId' | 'permissions'>,
  named: string | null,
  readers: Sql,
): Sql {
  const owner = talkOwner(caller, named);
  return owner === null ? empty : sql` and ${readers} && ${talkReaders(owner)}::text[]`;
}
