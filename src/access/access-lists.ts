import { Invalid, type Location, violation } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import { parsePrincipal, type Principal } from './principal.js';

/** Who may do what with a document, or with what lies below a folder. The owner needs no entry. */
export interface AccessLists {
  readonly readers: readonly Principal[];
  /** Writers may read too. */
  readonly writers: readonly Principal[];
  /** Admins may read and write too. */
  readonly admins: readonly Principal[];
}

/** The lists that a request names; the others stay as they are. */
export type AccessChange = Partial<AccessLists>;

export const LIST_NAMES = ['readers', 'writers', 'admins'] as const;

export const MAX_PRINCIPALS = 1_000;

/** Lists of a thing that only its owner may read. */
export const NOBODY: AccessLists = { readers: [], writers: [], admins: [] };

/** The columns of a thing with access lists. */
export interface Listed {
  /** The thing's own lists; null: those of the folder count. */
  readonly access: AccessLists | null;
  /** Lists of the nearest folder above that has lists; null: no such folder. */
  readonly folder_access: AccessLists | null;
}

/** Returns the lists that count; null: a thing of a person is private, and a thing of the tenant is for everyone. */
export function effectiveLists({ access, folder_access: inherited }: Listed): AccessLists | null {
  return access ?? inherited;
}

/** Returns everybody on the lists. All of them may read. */
export function everybodyOn({ readers, writers, admins }: AccessLists): Principal[] {
  return [...readers, ...writers, ...admins];
}

/** Returns the lists after a change. Lists that the change does not name stay, or are empty if there were none. */
export function changedLists(before: AccessLists | null, change: AccessChange): AccessLists {
  return { ...NOBODY, ...before, ...change };
}

/** Returns lists as a value of a column. */
export function listsOrNull(lists: AccessLists | null): string | null {
  return lists === null ? null : printJson(lists);
}

/** Tells whether two things let the same principals do the same. */
export function areSameLists(one: AccessLists | null, other: AccessLists | null): boolean {
  if (one === null || other === null) return one === other;
  return LIST_NAMES.every((name) => [...one[name]].sort().join('\n') === [...other[name]].sort().join('\n'));
}

/**
 * Parses the lists of a request: an object with `readers`, `writers` and `admins`, each a list of principals.
 * @throws Invalid for an unknown member, a list that is too long, and what is not a principal
 */
export function parseAccessChange(value: unknown, loc: Location): AccessChange {
  const given = value as Readonly<Record<string, unknown>>;
  const change: Partial<Record<keyof AccessLists, Principal[]>> = {};
  for (const [name, list] of Object.entries(given)) {
    const at = [...loc, name];
    // The record also shows this member, so a record may be sent back.
    if (name === 'app_access') continue;
    if (!isListName(name)) throw violation(at, 'whitelistValidation');
    if (!Array.isArray(list)) throw violation(at, 'isArray');
    if (list.length > MAX_PRINCIPALS) {
      throw Invalid.at(at, `Value error, an access list has at most ${MAX_PRINCIPALS} principals`);
    }
    const principals = list.map((entry: unknown, index) => {
      if (typeof entry !== 'string') {
        throw violation([...at, index], 'isString');
      }
      return parsePrincipal(entry, [...at, index]);
    });
    change[name] = [...new Set(principals)];
  }
  return change;
}

function isListName(name: string): name is keyof AccessLists {
  return (LIST_NAMES as readonly string[]).includes(name);
}
