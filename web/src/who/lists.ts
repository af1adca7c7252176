import type { AccessLists, Folder } from '../api/lectern.js';
import { userPrincipal } from '../names/principal.js';

export const EVERYONE = 'everyone';

/** `reader` reads, `writer` also changes the content, `admin` also shares and deletes. */
export const ROLES = ['reader', 'writer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const LISTS = { reader: 'readers', writer: 'writers', admin: 'admins' } as const;

export interface Member {
  readonly principal: string;
  readonly role: Role;
}

/** What a panel must know of a document or a folder. */
export interface Subject {
  /** The person to whom it belongs; null: the tenant. */
  readonly owner: string | null;
  readonly lists: AccessLists;
  /** Whose lists these are. */
  readonly source: 'own' | 'folder' | 'none';
}

export function subjectOfFolder({
  end_user_id: owner,
  access_control: lists = { readers: [], writers: [], admins: [] },
  access_source: source,
}: Folder): Subject {
  return { owner, lists, source };
}

/**
 * Returns who may do something besides the owner, each once with the most that they may do; everyone first. Without
 * lists everyone reads what belongs to the tenant.
 */
export function membersOf({ owner, lists, source }: Subject): Member[] {
  const given = source === 'none' && owner === null ? { ...lists, readers: [EVERYONE] } : lists;
  const members = new Map<string, Role>();
  for (const role of ROLES) for (const principal of given[LISTS[role]]) members.set(principal, role);
  if (owner !== null) members.delete(userPrincipal(owner));
  return [...members]
    .map(([principal, role]) => ({ principal, role }))
    .sort((one, other) => Number(other.principal === EVERYONE) - Number(one.principal === EVERYONE));
}

export function listsOf(members: readonly Member[]): AccessLists {
  const of = (role: Role): string[] =>
    members.filter((one) => one.role === role).map(({ principal }) => principal);
  return { readers: of('reader'), writers: of('writer'), admins: of('admin') };
}

/** Returns the members after a change. @param role null: takes back */
export function withRole(members: readonly Member[], principal: string, role: Role | null): Member[] {
  const isKnown = members.some((one) => one.principal === principal);
  if (role === null) return members.filter((one) => one.principal !== principal);
  if (!isKnown) return [...members, { principal, role }];
  return members.map((one) => (one.principal === principal ? { principal, role } : one));
}

/**
 * Returns the members with somebody who can take back what is shared: a thing of the tenant has no owner, so the person
 * who limits it stays among those who may change the lists.
 *
 * @param person null: a key without a person, which reads and changes everything
 */
export function withKeeper(
  members: readonly Member[],
  owner: string | null,
  person: string | null,
): Member[] {
  if (owner !== null || person === null) return [...members];
  if (members.some(({ principal }) => principal === EVERYONE)) return [...members];
  return withRole(members, userPrincipal(person), 'admin');
}
