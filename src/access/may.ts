import sql, { empty, type Sql } from 'sql-template-tag';
import { Forbidden } from '../errors/index.js';
import { effectiveLists, everybodyOn, type Listed } from './access-lists.js';
import { type Caller, EVERYONE, type Owner, ownerOf, principalsOf } from './principal.js';

/**
 * What a caller does with a thing: `write` changes its content, name or metadata; `manage` deletes it, or changes who may
 * read and write it.
 */
export type Action = 'write' | 'manage';

/**
 * Tells whether a caller may read a thing. It is the rule of {@link visibleTo} for a row that a statement has already
 * read.
 */
export function mayRead(caller: Caller, { owner, access = null, folder_access = null }: Owned): boolean {
  const principals: readonly string[] | null = principalsOf(caller);
  if (principals === null) return true;
  const lists = effectiveLists({ access, folder_access });
  const readers = lists === null ? [owner ?? EVERYONE] : [owner, ...everybodyOn(lists)];
  return readers.some((reader) => reader !== null && principals.includes(reader));
}

/** An owned thing that the caller may read. */
export interface Owned extends Partial<Listed> {
  readonly owner: Owner;
}

/**
 * Tells whether a caller may change a thing that the caller may read. A caller who reads everything of the tenant changes
 * everything. Others change what is theirs, and what lists let them change. An administrator also changes what belongs to
 * the tenant, and what everyone may read.
 */
export function may(caller: Caller, action: Action, thing: Owned): boolean {
  const principals = principalsOf(caller);
  if (principals === null) return true;
  const { owner } = thing;
  if (owner !== null && (principals as readonly string[]).includes(owner)) return true;
  const lists = effectiveLists({ access: thing.access ?? null, folder_access: thing.folder_access ?? null });
  const allowed = lists === null ? [] : [...lists.admins, ...(action === 'write' ? lists.writers : [])];
  if (principals.some((principal) => allowed.includes(principal))) return true;
  return caller.permissions.has('admin') && (owner === null || (lists?.readers.includes(EVERYONE) ?? false));
}

/** What a caller may do at most with a thing. */
export type Right = 'read' | Action;

/** Returns what a caller who may read a thing may do with it, by the permissions of the key and the rule of {@link may}. */
export function rightOf(caller: Caller, thing: Owned): Right {
  if (!caller.permissions.has('write')) return 'read';
  return (['manage', 'write'] as const).find((action) => may(caller, action, thing)) ?? 'read';
}

/**
 * Tells whether a caller may give a thing to another owner. Its owner may, and a caller who reads everything of the
 * tenant. An administrator may give away what belongs to the tenant. Admins on its lists may not, so that authors keep
 * what they share.
 */
export function mayHandOver(caller: Caller, { owner }: Pick<Owned, 'owner'>): boolean {
  if (caller.reach === 'all') return true;
  return owner === null ? caller.permissions.has('admin') : owner === ownerOf(caller);
}

/**
 * The rule of {@link may} for `write`, as a condition on rows `d` of `documents` that the caller may read, to be appended
 * to another condition.
 */
export function andChangeableBy(caller: Caller): Sql {
  const principals = principalsOf(caller);
  if (principals === null) return empty;
  const lists = sql`coalesce(d.access, d.folder_access)`;
  const listed = (name: 'readers' | 'writers' | 'admins', who: readonly string[]): Sql =>
    sql`coalesce(jsonb_exists_any(${lists} -> ${name}, ${who}::text[]), false)`;
  const administered = caller.permissions.has('admin')
    ? sql` or d.owner is null or ${listed('readers', [EVERYONE])}`
    : empty;
  return sql` and (d.owner = any(${principals}::text[]) or ${listed('writers', principals)} or ${listed('admins', principals)}${administered})`;
}

/** Returns the error message for a key that may not change a thing. */
export function refusal(
  what: 'document' | 'file' | 'file batch' | 'folder' | 'vector store',
  { owner }: Owned,
): string {
  return owner === null
    ? `The ${what} is shared: only an admin key or a key without an end user may change it`
    : `The ${what} belongs to another end user, who does not let this key change it`;
}

/**
 * Checks that the caller may change a thing that the caller may read.
 * @throws Forbidden
 */
export function requireMay(
  caller: Caller,
  action: Action,
  thing: Owned,
  what: Parameters<typeof refusal>[0] = 'document',
): void {
  if (!may(caller, action, thing)) throw new Forbidden(refusal(what, thing));
}
