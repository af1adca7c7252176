import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { Invalid, type Location } from '../errors/index.js';
import { type Caller, endUserOf, type Owner, userPrincipal } from './principal.js';

/** What the rules of talk must know of a caller. */
type Talker = Pick<Caller, 'endUserId' | 'keyId' | 'permissions'> & Pick<Scope, 'policy' | 'token'>;

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

/**
 * Names who asks a question whose answer goes on without its connection. Requests with the same name may follow and stop
 * the answer: those of the same person with the same rights or, without a person, of the same key or token. A token of a
 * person may be renewed meanwhile.
 *
 * @param named the end user that the request names
 */
export function askerOf(scope: Scope, named: string | null): string {
  const { appId, endUserId, keyId, tokenId, groups, reach, policy } = scope;
  const isOfKey = endUserId === null || policy !== undefined;
  return JSON.stringify([
    appId,
    talkOwner(scope, named),
    isOfKey ? keyId : null,
    endUserId === null ? (tokenId ?? null) : null,
    policy === undefined ? null : [...policy.uses].sort(),
    talkBound(scope),
    reach,
    [...groups].sort(),
  ]);
}

/** The caller as the owner of what is said in the request. */
export function talkerOf<T extends Pick<Caller, 'endUserId'>>(caller: T, named: string | null): T {
  return { ...caller, endUserId: endUserOf(caller, named) };
}

/**
 * Tells whether a caller has talk of its own. A token without a person has none, because all browsers with tokens of one
 * key would share it.
 */
export function hasTalk({ policy, endUserId }: Pick<Scope, 'policy' | 'endUserId'>): boolean {
  return policy === undefined || endUserId !== null;
}

/** @throws Invalid at the place where a token without talk of its own asks to continue or store talk */
export function requireOwnTalk(caller: Pick<Scope, 'policy' | 'endUserId'>, place: Location): void {
  if (hasTalk(caller)) return;
  throw Invalid.at(place, 'Value error, a token can have a conversation only if it acts for an end user');
}

/**
 * The folder and filter to which talk of a caller belongs, as JSON; null: none. An answer quotes documents of the bound,
 * and the next answer repeats it, so that talk is continued within the same bound only.
 */
export function talkBound({ token }: Pick<Scope, 'token'>): string | null {
  if (token === undefined || (token.folder === null && token.filter === null)) return null;
  return `{"folder": ${JSON.stringify(token.folder)}, "filter": ${token.filter ?? 'null'}}`;
}

/** Condition on a row `c` of `conversations`: the caller may continue it, as far as its bound is concerned. */
export function isWithinBound(caller: Pick<Scope, 'token'>): Sql {
  return sql`c.bound is not distinct from ${talkBound(caller)}::jsonb`;
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
 * administrator without a person reaches all talk of the tenant, unless the request names a person. A token reaches the
 * talk of its person within its own bound.
 */
export function reachesTalk(caller: Talker, choice: TalkChoice): Sql {
  if (caller.policy === undefined) return reachesAnyBound(caller, choice);
  if (!hasTalk(caller)) return sql`false`;
  return sql`${reachesAnyBound(caller, choice)} and ${isWithinBound(caller)}`;
}

function reachesAnyBound(caller: Talker, { endUserId: named, own = null }: TalkChoice): Sql {
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
