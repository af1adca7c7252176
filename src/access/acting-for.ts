import type { Scope } from '../auth/scope.js';
import { Forbidden, Invalid, type Location, violation } from '../errors/index.js';
import { textDefect } from '../json/storable.js';
import { isBelow, normaliseFolderPath } from './folder-path.js';
import { actingEndUser } from './principal.js';

/** Maximum number of groups that a request names. */
export const MAX_GROUPS = 1_000;

/** The members of a request, or of a part of it, that name for whom it acts, and where. */
export interface NamedPrincipals {
  readonly end_user_id?: unknown;
  readonly groups?: unknown;
  readonly folder_name?: unknown;
}

/**
 * Returns the scope of a request that may name the person and the groups for whom an application acts. With `groups` it
 * reads and changes what the person and the groups may, and nothing else; then `end_user_id` says who asks, is no filter,
 * and is removed from `named`. Every place of a request that takes `end_user_id` comes through here, so that a token acts
 * for its person and in its folder only.
 *
 * @param loc location of `named` in the request
 * @throws Invalid for what is not a list of groups; Forbidden if the key belongs to somebody else, or to a person who is
 * not in one of the groups, and if a token names another person or a folder outside its own
 */
export function actingScope(scope: Scope, named: NamedPrincipals, loc: Location): Scope {
  const person = typeof named.end_user_id === 'string' && named.end_user_id !== '' ? named.end_user_id : null;
  const groups = groupsIn(named.groups ?? null, [...loc, 'groups']);
  const acting = groups === null ? scope : actingFor(scope, person, groups, [...loc, 'groups']);
  if (scope.endUserId !== null) actingEndUser(scope, person, [...loc, 'end_user_id']);
  if (scope.policy !== undefined) requireOfToken(scope, person, named.folder_name, loc);
  if (acting !== scope) Reflect.deleteProperty(named, 'end_user_id');
  return acting;
}

/** @throws Forbidden if a token names a person although it has none, or a folder outside its own */
function requireOfToken(
  { endUserId, token }: Scope,
  person: string | null,
  folders: unknown,
  loc: Location,
): void {
  if (person !== null && endUserId === null) {
    throw refused([...loc, 'end_user_id'], 'The token acts for no end user');
  }
  const bound = token?.folder ?? null;
  if (bound === null) return;
  const isList = Array.isArray(folders);
  for (const [at, folder] of (isList ? (folders as unknown[]) : [folders]).entries()) {
    if (typeof folder !== 'string') continue; // its field is validated later
    const place = [...loc, 'folder_name', ...(isList ? [at] : [])];
    const path = normaliseFolderPath(folder, place);
    if (path !== bound && !isBelow(path, bound))
      throw refused(place, `The token is for the folder ${bound} only`);
  }
}

function refused(loc: Location, sentence: string): Forbidden {
  return new Forbidden(`${loc.join('.')}: ${sentence}`, undefined, { param: loc.slice(1).join('.') });
}

function actingFor(scope: Scope, person: string | null, groups: readonly string[], loc: Location): Scope {
  if (scope.reach === 'granted') {
    const other = groups.find((group) => !scope.groups.includes(group));
    if (other === undefined) return scope;
    throw new Forbidden(`${loc.join('.')}: The API key belongs to somebody who is not in the group ${other}`);
  }
  const permissions = new Set([...scope.permissions].filter((permission) => permission !== 'admin'));
  return { ...scope, endUserId: person, groups, namesGroups: true, reach: 'granted', permissions };
}

function groupsIn(given: unknown, loc: Location): readonly string[] | null {
  if (given === null) return null;
  if (!Array.isArray(given)) throw violation(loc, 'isArray');
  if (given.length > MAX_GROUPS) throw Invalid.at(loc, `Value error, at most ${MAX_GROUPS} groups`);
  return given.map((group: unknown, at) => {
    if (typeof group !== 'string') throw violation([...loc, at], 'isString');
    const defect = textDefect(group);
    if (defect !== undefined) throw Invalid.at([...loc, at], `Value error, must not contain ${defect}`);
    if (group === '') {
      throw violation([...loc, at], 'isNotEmpty');
    }
    return group;
  });
}
