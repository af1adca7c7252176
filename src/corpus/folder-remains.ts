import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { type AccessLists, effectiveLists, NOBODY } from '../access/access-lists.js';
import { groupsOf } from '../access/groups-of.js';
import { EVERYONE, principalsOf } from '../access/principal.js';
import { type Scope, shardIds, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { belowPredicate, lineage, parentOf, withinFolder } from '../filters/folders.js';
import { printJson } from '../json/exact-json.js';
import type { FolderClaim } from './folder.entity.js';
import { isOrdinary } from './folder-sight.js';
import { F, OWNED, type OwnedFolder } from './folder.repository.js';

/**
 * What stays at the path of a folder that moves, so that nobody learns the new path from a claim or from a subfolder made
 * in a folder of others. A stranger is who sees nothing else of what moves. Folders of strangers stay. A folder that they
 * claimed becomes a folder of the first of them, and a claim of the others.
 */
interface Remains {
  /** Ids of the folders that stay. */
  readonly staying: readonly string[];
  /** People whose claims do not move. */
  readonly strangers: readonly string[];
  /** New folders at the old path. */
  readonly left: readonly NewFolder[];
  /**
   * For folders that stay although others use them, by id: new folders at the same path, which move instead of them with
   * the documents.
   */
  readonly substitutes: ReadonlyMap<string, NewFolder>;
}

const NOTHING: Remains = { staying: [], strangers: [], left: [], substitutes: new Map() };

interface NewFolder {
  readonly id: string;
  readonly path: string;
  /** null: the tenant. */
  readonly person: string | null;
  readonly description: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly claims: Readonly<Record<string, FolderClaim>>;
  readonly access: AccessLists | null;
}

interface Row {
  readonly id: string;
  readonly path: string;
  readonly person: string | null;
  readonly readers: readonly string[];
  readonly isOrdinary: boolean;
  readonly claims: Readonly<Record<string, FolderClaim>>;
}

interface Contents {
  /** Paths of the folders with documents in them or below. */
  readonly filled: ReadonlySet<string>;
  /** Principals who may read one of the documents. */
  readonly readers: ReadonlySet<string>;
}

/** @param path the folder that will move. The tree must be locked exclusively. */
export async function remainsOf(manager: Queryable, scope: Scope, path: string): Promise<Remains> {
  const rows = await run<Row>(
    manager,
    sql`select f.folder_id as id, f.path, f.end_user_id as person, f.readers, f.claims, ${isOrdinary(F)} as "isOrdinary"
        from folders f where f.app_id = ${scope.appId} and ${withinFolder(path)} order by f.path`,
  );
  const [root] = rows;
  const people = new Set(rows.flatMap(({ person, claims }) => [person ?? [], Object.keys(claims)].flat()));
  for (const known of [root?.person, scope.endUserId]) if (typeof known === 'string') people.delete(known);
  if (people.size === 0) return NOTHING;
  const contents = await contentsOf(manager, scope, path);
  const strangers = await strangersAmong(manager, scope, people, rows, contents);
  if (strangers.size === 0) return NOTHING;
  const [above] = await run<OwnedFolder>(
    manager,
    sql`select ${OWNED} from folders f where f.app_id = ${scope.appId} and f.path = ${parentOf(path)}`,
  );
  const isListed = above !== undefined && effectiveLists(above) !== null;
  return {
    staying: rows.filter((row) => isOf(strangers, row)).map(({ id }) => id),
    strangers: [...strangers],
    left: leftOf(rows, strangers).map((folder) =>
      // What is private must not get the lists of the folder above.
      folder.path === path && isListed ? { ...folder, access: NOBODY } : folder,
    ),
    substitutes: substitutesOf(rows, strangers, contents.filled),
  };
}

function isOf(people: ReadonlySet<string>, { person }: Row): boolean {
  return person !== null && people.has(person);
}

async function contentsOf(manager: Queryable, scope: Scope, path: string): Promise<Contents> {
  const filled = new Set<string>();
  const readers = new Set<string>();
  for (const { appId } of shardsOf(scope)) {
    const documents = sql`documents d
      where d.app_id = ${appId} and (d.folder_path = ${path} or (${belowPredicate(sql`d.folder_path`, path)}))`;
    const paths = await run<{ path: string }>(
      manager,
      sql`select distinct d.folder_path as path from ${documents}`,
    );
    for (const one of paths) for (const ancestor of lineage(one.path)) filled.add(ancestor);
    const found = await run<{ reader: string }>(
      manager,
      sql`select distinct unnest(d.readers) as reader from ${documents}`,
    );
    for (const { reader } of found) readers.add(reader);
  }
  return { filled, readers };
}

/** Returns those who would see nothing of the tree at its new path. What stays behind with a stranger shows nobody more. */
async function strangersAmong(
  manager: Queryable,
  scope: Scope,
  people: ReadonlySet<string>,
  rows: readonly Row[],
  { filled, readers }: Contents,
): Promise<ReadonlySet<string>> {
  const groups = await groupsOf(manager, scope, [...people]);
  const sees = (person: string, shown: ReadonlySet<string>): boolean =>
    (principalsOf({ endUserId: person, groups: groups.get(person) ?? [], reach: 'granted' }) ?? []).some(
      (principal) => shown.has(principal),
    );
  const seersOf = (row: Row): readonly string[] =>
    row.isOrdinary ? (filled.has(row.path) ? [] : [EVERYONE]) : row.readers;
  for (let strangers = people; ;) {
    const shown = new Set(readers);
    for (const row of rows) if (!isOf(strangers, row)) for (const seer of seersOf(row)) shown.add(seer);
    const fewer = new Set([...strangers].filter((person) => !sees(person, shown)));
    if (fewer.size === strangers.size) return fewer;
    strangers = fewer;
  }
}

/** Returns the new folders that strangers find at the old path: those that they claimed, and parents of those that stay. */
function leftOf(rows: readonly Row[], strangers: ReadonlySet<string>): NewFolder[] {
  const moving = new Map(rows.filter((row) => !isOf(strangers, row)).map((row) => [row.path, row]));
  const left = new Map<string, NewFolder>();
  for (const { path, claims } of moving.values()) {
    const claimed = claimedFolder(path, claims, (person) => strangers.has(person));
    if (claimed !== null) left.set(path, claimed);
  }
  for (const { path, person: owner } of rows) {
    const person = moving.has(path) ? left.get(path)?.person : owner;
    if (person === undefined) continue;
    for (const ancestor of lineage(path)) {
      if (moving.has(ancestor) && !left.has(ancestor)) left.set(ancestor, newFolder(ancestor, person));
    }
  }
  return [...left.values()];
}

/** Returns new folders for those of strangers that others use: with documents, a claim, or a folder that moves below it. */
function substitutesOf(
  rows: readonly Row[],
  strangers: ReadonlySet<string>,
  filled: ReadonlySet<string>,
): ReadonlyMap<string, NewFolder> {
  /** Makers of the folders that move, by the paths of these and of those above. */
  const users = new Map<string, string | null>();
  const substitutes = new Map<string, NewFolder>();
  for (const row of rows.toReversed()) {
    const { id, path, person, claims } = row;
    const isStaying = isOf(strangers, row);
    const claimed = isStaying ? claimedFolder(path, claims, (one) => !strangers.has(one)) : null;
    const isUsed = claimed !== null || filled.has(path) || users.has(path);
    if (isStaying && !isUsed) continue;
    const owner = isStaying ? (rows[0]?.person ?? users.get(path) ?? null) : person;
    const moving = claimed ?? newFolder(path, owner);
    if (isStaying) substitutes.set(id, moving);
    for (const one of lineage(path)) users.set(one, users.get(one) ?? moving.person);
  }
  return substitutes;
}

/** Returns a folder of the first of the people who claimed it, with the claims of the others. */
function claimedFolder(
  path: string,
  claims: Row['claims'],
  isAmong: (person: string) => boolean,
): NewFolder | null {
  const [first, ...others] = Object.entries(claims)
    .filter(([person]) => isAmong(person))
    .sort(([, one], [, other]) => (one.at < other.at ? -1 : 1));
  if (first === undefined) return null;
  const [person, { at, description }] = first;
  return { ...newFolder(path, person), at, description, claims: Object.fromEntries(others) };
}

function newFolder(path: string, person: string | null): NewFolder {
  const at = new Date().toISOString();
  return { id: randomUUID(), path, person, description: null, at, claims: {}, access: null };
}

/** Writes the folders that stay, after the others have moved. */
export async function writeRemains(
  manager: Queryable,
  scope: Scope,
  { strangers, left, substitutes }: Remains,
  movedPath: (path: string) => string,
): Promise<void> {
  const moved = [...substitutes].map(([former, folder]) => ({
    ...folder,
    former,
    path: movedPath(folder.path),
  }));
  await insert(manager, scope.appId, [...left, ...moved]);
  if (moved.length === 0) return;
  // Claims of those who are no strangers have moved.
  await run(
    manager,
    sql`update folders f set claims = coalesce((
          select jsonb_object_agg(c.key, c.value) from jsonb_each(f.claims) as c where c.key = any(${strangers}::text[])), '{}')
        where f.app_id = ${scope.appId} and f.folder_id = any(${[...substitutes.keys()]}::uuid[])`,
  );
  const places = printJson(moved.map(({ former, id, path }) => ({ former, id, path })));
  const from = sql`jsonb_to_recordset(${places}::jsonb) as n(former uuid, id uuid, path text)`;
  for (const appId of shardIds(scope)) {
    // Only the first shard has the properties of folders. The others have the rows that documents refer to.
    await run(
      manager,
      sql`insert into folders (app_id, folder_id, path) select ${appId}, n.id, n.path from ${from} on conflict do nothing`,
    );
    await run(
      manager,
      sql`update documents d set folder_id = n.id from ${from} where d.app_id = ${appId} and d.folder_id = n.former`,
    );
  }
}

async function insert(manager: Queryable, appId: string, folders: readonly NewFolder[]): Promise<void> {
  if (folders.length === 0) return;
  await run(
    manager,
    sql`insert into folders (app_id, folder_id, path, end_user_id, description, claims, access, created_at, updated_at)
        select ${appId}, n.id, n.path, n.person, n.description, n.claims, n.access, n.at, n.at
        from jsonb_to_recordset(${printJson(folders)}::jsonb) as n(id uuid, path text, person text, description text,
          claims jsonb, access jsonb, at timestamptz)`,
  );
}
