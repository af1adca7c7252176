import type { Scope } from '../auth/scope.js';
import { Forbidden, Invalid, type Location } from '../errors/index.js';
import { textDefect } from '../json/storable.js';

/** Every caller of the tenant. */
export const EVERYONE = 'everyone' as const;

/** Somebody to whom an access list gives rights. */
export type Principal = `user:${string}` | `group:${string}` | typeof EVERYONE;

/**
 * Whose a thing is: a person's, or a key's that acts for nobody. null: it is the tenant's. Only talk belongs to keys:
 * chats, conversations and responses.
 */
export type Owner = `user:${string}` | `key:${string}` | null;

/** Maximum length of the id of a person or a group, in UTF-16 units. */
export const MAX_ID_LENGTH = 256;

/** What the rules of this room must know of a caller. */
export type Caller = Pick<Scope, 'endUserId' | 'groups' | 'keyId' | 'permissions' | 'reach'>;

export function userPrincipal(endUserId: string): `user:${string}` {
  return `user:${endUserId}`;
}

export function groupPrincipal(groupId: string): `group:${string}` {
  return `group:${groupId}`;
}

/**
 * Returns the principals as which a caller reads documents: the person, the person's groups, and everyone.
 * @returns null if the caller reads all documents of the tenant: an application or an administrator without a person
 */
export function principalsOf({
  endUserId,
  groups,
  reach,
}: Omit<Caller, 'keyId' | 'permissions'>): Principal[] | null {
  return reach === 'all' ? null : [...namesOf({ endUserId, groups }), EVERYONE];
}

/** Returns the principals by which access lists name a caller: the person, and the person's groups. */
export function namesOf({ endUserId, groups }: Pick<Caller, 'endUserId' | 'groups'>): Principal[] {
  return [...(endUserId === null ? [] : [userPrincipal(endUserId)]), ...groups.map(groupPrincipal)];
}

/** Returns the owner of what a caller adds to the corpus: the person, or the tenant. */
export function ownerOf({ endUserId }: Pick<Scope, 'endUserId'>): Owner {
  return endUserId === null ? null : userPrincipal(endUserId);
}

/**
 * Parses a principal of an access list: `user:ID`, `group:ID`, `everyone`. An id without a prefix is a person's.
 * @throws Invalid at `loc`
 */
export function parsePrincipal(text: string, loc: Location): Principal {
  if (text === EVERYONE) return EVERYONE;
  const defect = textDefect(text);
  if (defect !== undefined) throw Invalid.at(loc, `Value error, a principal is text without ${defect}`);
  const [, kind = 'user', id = ''] = /^(?:(user|group):)?(.*)$/s.exec(text) ?? [];
  if (id === '') throw Invalid.at(loc, 'Value error, a principal is user:ID, group:ID or everyone');
  if (id.length > MAX_ID_LENGTH) {
    throw Invalid.at(loc, `Value error, the id of a principal has at most ${MAX_ID_LENGTH} characters`);
  }
  return kind === 'group' ? groupPrincipal(id) : userPrincipal(id);
}

/**
 * Returns the end user that a request acts for. The end user of the key comes first, then the one that the request
 * names.
 */
export function endUserOf({ endUserId }: Pick<Scope, 'endUserId'>, named: string | null): string | null {
  return endUserId ?? named;
}

/**
 * Returns the end user that a request acts for, see {@link endUserOf}.
 * @param loc location of the name in the request
 * @throws Forbidden when the key belongs to another end user.
 */
export function actingEndUser(
  scope: Pick<Scope, 'endUserId'>,
  named: string | null,
  loc: Location,
): string | null {
  const endUserId = endUserOf(scope, named);
  if (named === null || named === endUserId) return endUserId;
  throw new Forbidden(`${loc.join('.')}: The API key belongs to another end user`, undefined, {
    param: loc.slice(1).join('.'),
  });
}
