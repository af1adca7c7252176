import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { type Caller, endUserOf, type Owner, userPrincipal } from './principal.js';

/** What the rules of talk must know of a caller. */
type Talker = Pick<Caller, 'endUserId' | 'keyId' | 'permissions'>;

/** Selects some of the talk that a request may read. */
export interface TalkChoice {
  /** null: the request names no end user. */
  readonly endUserId: string | null;
  /** true: only talk that the request would continue; false: only other talk; null or absent: both. */
  readonly own?: boolean | null;
}

/**
 * Reads talk that every key without a person may read and change. Conversations and responses that are older than the
 * record of their key have this reader.
 */
const ANY_KEY = 'key:*';

/**
 * Returns whose the talk is that a request begins or continues: the person's of the key or of the request. Without a
 * person it is the key's, or the tenant's if the key is an administrator's.
 * @param named the end user that the request names
 */
export function talkOwner(caller: Talker, named: string | null): Owner {
  const endUserId = endUserOf(caller, named);
  if (endUserId !== null) return userPrincipal(endUserId);
  return caller.permissions.has('admin') ? null : `key:${caller.keyId}`;
}

/** Returns the caller as the person to whom talk of the request belongs. */
export function talkerOf<T extends Pick<Caller, 'endUserId'>>(caller: T, named: string | null): T {
  return { ...caller, endUserId: endUserOf(caller, named) };
}

/** The principals who may read talk of an owner; none: only administrators without a person. */
export function talkReaders(owner: Owner): string[] {
  return owner === null ? [] : [owner];
}

/** Condition on a row `c` of `conversations`: it belongs to this owner. Only the owner continues a conversation. */
export function isTalkOf(owner: Owner): Sql {
  return owner === null ? sql`c.owner is null` : sql`c.owner = ${owner}`;
}

/**
 * Condition on a row `c` of `conversations`: the request may read and change it. This is the one rule for chats,
 * conversations and responses. A person reaches their own talk. A key without a person reaches the talk of the key. An
 * administrator without a person reaches all talk of the tenant, unless the request names a person.
 */
export function reachesTalk(caller: Talker, { endUserId: named, own = null }: TalkChoice): Sql {
  const owner = talkOwner(caller, named);
  if (owner === null) {
    if (own === null) return sql`true`;
    return own ? isTalkOf(owner) : sql`c.owner is not null`;
  }
  if (own === false) return sql`false`;
  const principals = owner.startsWith('key:') ? [owner, ANY_KEY] : [owner];
  return sql`c.readers && ${principals}::text[]`;
}

/** Like {@link reachesTalk}, but a request that names no person reaches no talk of a person. */
export function reachesNamedTalk(caller: Talker, named: string | null): Sql {
  const ofNobody =
    endUserOf(caller, named) === null ? sql` and (c.owner is null or c.owner like 'key:%')` : empty;
  return sql`${reachesTalk(caller, { endUserId: named })}${ofNobody}`;
}

/** The end user of a row `c` of `conversations`; null if it belongs to a key or to the tenant. */
export const TALK_END_USER = raw(`case when c.owner like 'user:%' then substr(c.owner, 6) end`);

/** Returns who reads the documents behind stored talk: the end user that the request names, otherwise the caller. */
export function talkReader<T extends Caller>(caller: T, named: string | null): T {
  const endUserId = endUserOf(caller, named);
  return endUserId === null || endUserId === caller.endUserId
    ? caller
    : { ...caller, endUserId, reach: 'granted' };
}
