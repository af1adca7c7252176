import type { KeyGrant } from './key.repository.js';
import { type Permission, PERMISSIONS } from './permissions.js';

/** The keys on which the rights of a token or a link depend: the key that it acts for, then the one that made it. */
export type Holders = readonly [KeyGrant, ...KeyGrant[]];

/**
 * Returns the groups of a token or a link at this moment. The key of a person hands on groups only while the person is a
 * member; an application may name any groups.
 * @param named the groups that the token or link names instead of those of its person; null: it names none
 */
export function presentGroups(named: readonly string[] | null, holders: Holders): readonly string[] {
  const [own] = holders;
  if (named === null) return own.groups;
  const people = holders.filter(({ endUserId }) => endUserId !== null);
  return named.filter((group) => people.every(({ groups }) => groups.includes(group)));
}

/** Returns the permissions that all of some lists give. `admin` gives all. */
export function commonPermissions(lists: readonly (readonly Permission[])[]): Permission[] {
  return PERMISSIONS.filter((one) => lists.every((list) => list.includes('admin') || list.includes(one)));
}

/** Returns the permissions of a token or a link at this moment: those that all its keys still have. */
export function presentPermissions(holders: Holders): Permission[] {
  return commonPermissions(holders.map(({ permissions }) => permissions));
}
