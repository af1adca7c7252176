import sql, { join, type Sql } from 'sql-template-tag';
import { visibleTo } from '../access/visible-to.js';
import { type Owner, ownerOf } from '../access/principal.js';
import { type Scope, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { andVisible } from '../filters/document-predicate.js';
import { wasMadeAsStore } from '../filters/store-folders.js';
import { withinFolder } from '../filters/folders.js';
import { FALSE, TRUE } from '../filters/sql/expressions.js';
import type { FolderClaim } from './folder.entity.js';

/**
 * What a key sees of the folders of its tenant. A key that does not read everything sees the name of each folder that
 * - directly contains a document visible to the key,
 * - belongs to the person, or has lists that let the key read it,
 * - the person made although others had made it in private (a claim),
 * - is an ordinary folder of the tenant without documents, not even in its subfolders,
 * - is a vector store of the tenant.
 *
 * It also sees the names of their ancestors. The database decides this for each folder that a statement returns. Only a
 * list of all folders of a tenant of several shards reads the ids of all folders with documents.
 */
export interface FolderSight {
  /**
   * Builds the condition that the key may see the name of a folder.
   * @param folder alias of the row of `folders`
   */
  shown(folder: Sql): Sql;
}

/** What a key sees of a folder of which it may know the name only. */
export interface SeenDetails {
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The caller, who made a folder of this name or added documents to it. */
  readonly owner: Owner;
}

/** Reference to a folder by its id, its path, or a text that may be either. */
export interface FolderKey {
  readonly id: string | null;
  readonly path: string | null;
}

/** Ids of the folders with documents in the shards of a tenant other than the first, which has the rows of all folders. */
interface Elsewhere {
  readonly filled: readonly string[];
  /** Those with a document that the key may see. */
  readonly seen: readonly string[];
}

/**
 * @param among the folders that the condition is for; null: all folders of the tenant. What the other shards have is read
 * only for these folders and their descendants.
 */
export async function folderSight(
  database: Queryable,
  scope: Scope,
  among: readonly FolderKey[] | null,
): Promise<FolderSight> {
  if (scope.reach === 'all') return { shown: () => TRUE };
  const [, ...others] = shardsOf(scope);
  if (others.length === 0) return { shown: (folder) => shown(scope, null, folder) };
  const paths = among === null ? null : await pathsOf(database, scope, among);
  const elsewhere = await contentsElsewhere(database, others, paths);
  return { shown: (folder) => shown(scope, elsewhere, folder) };
}

async function pathsOf(
  database: Queryable,
  { appId }: Scope,
  names: readonly FolderKey[],
): Promise<readonly string[]> {
  const ids = names.flatMap(({ id }) => id ?? []);
  const paths = names.flatMap(({ path }) => path ?? []);
  if (ids.length === 0) return paths;
  const named = await run<{ path: string }>(
    database,
    sql`select f.path from folders f where f.app_id = ${appId} and f.folder_id = any(${ids}::uuid[])`,
  );
  return [...paths, ...named.map(({ path }) => path)];
}

async function contentsElsewhere(
  database: Queryable,
  parts: readonly Scope[],
  paths: readonly string[] | null,
): Promise<Elsewhere> {
  const isAsked =
    paths === null ? TRUE : paths.length === 0 ? FALSE : join(paths.map(withinFolder), ' or ', '(', ')');
  const filled: string[] = [];
  const seen: string[] = [];
  for (const part of parts) {
    const inFolder = sql`documents d where d.app_id = ${part.appId} and d.folder_id = f.folder_id`;
    const rows = await run<{ id: string; isSeen: boolean }>(
      database,
      sql`select f.folder_id as id, exists (select d.external_id from ${inFolder}${andVisible(part)}) as "isSeen"
          from folders f
          where f.app_id = ${part.appId} and ${isAsked} and exists (select d.external_id from ${inFolder})`,
    );
    filled.push(...rows.map(({ id }) => id));
    seen.push(...rows.filter(({ isSeen }) => isSeen).map(({ id }) => id));
  }
  return { filled, seen };
}

function shown(scope: Scope, elsewhere: Elsewhere | null, folder: Sql): Sql {
  const { appId } = scope;
  const path = sql`${folder}.path`;
  const documents = sql`documents d where d.app_id = ${appId}`;
  const below = sql`folders g where g.app_id = ${appId} and ${belowPath(sql`g.path`, path)}`;
  return sql`(${isShownAlone(scope, elsewhere, folder)}
    or exists (select d.external_id from ${documents} and d.folder_path = ${path}${andVisible(scope)})
    or exists (select d.external_id from ${documents} and ${belowPath(sql`d.folder_path`, path)}${andVisible(scope)})
    or exists (select g.folder_id from ${below} and (${isShownAlone(scope, elsewhere, sql`g`)}))) is true`;
}

/** The reasons to show a folder that are not documents in the first shard. */
function isShownAlone(scope: Scope, elsewhere: Elsewhere | null, folder: Sql): Sql {
  const { appId, endUserId } = scope;
  const path = sql`${folder}.path`;
  const filled = [
    sql`exists (select d.external_id from documents d where d.app_id = ${appId} and d.folder_path = ${path})`,
    sql`exists (select d.external_id from documents d
          where d.app_id = ${appId} and ${belowPath(sql`d.folder_path`, path)})`,
  ];
  const reasons = [
    sql`(not ${isOrdinary(folder)} and ${isReadable(scope, folder)})`,
    sql`jsonb_exists(${folder}.claims, ${endUserId}::text)`,
  ];
  if (elsewhere !== null) {
    const filledIds = sql`${elsewhere.filled}::uuid[]`;
    reasons.push(sql`${folder}.folder_id = any(${elsewhere.seen}::uuid[])`);
    filled.push(
      sql`${folder}.folder_id = any(${filledIds})`,
      sql`exists (select h.folder_id from folders h
            where h.app_id = ${appId} and h.folder_id = any(${filledIds}) and ${belowPath(sql`h.path`, path)})`,
    );
  }
  return sql`${join(reasons, ' or ')} or (${isOrdinary(folder)} and not (${join(filled, ' or ')}))`;
}

/** A folder of the tenant without lists that was not made as a vector store. */
export function isOrdinary(folder: Sql): Sql {
  return sql`(${folder}.owner is null and ${folder}.access is null and ${folder}.folder_access is null
    and not (${wasMadeAsStore(folder)}))`;
}

function isReadable(scope: Scope, folder: Sql): Sql {
  const [granted = TRUE] = visibleTo(scope, sql`${folder}.readers`);
  return granted;
}

/** Like {@link belowPredicate}, for a folder that is a row of the statement. */
function belowPath(column: Sql, path: Sql): Sql {
  return sql`${column} > ${path} || '/' and ${column} < ${path} || '0'`;
}

/** One folder in one shard of the tenant. */
interface Contents {
  readonly path: string;
  /** Whether the key may see a document in the folder or below that is not its person's. */
  readonly seesOthers: boolean;
  /** Whether the folder itself has a document that the key may not see. */
  readonly hidesSome: boolean;
  /** Whether the key may read the folder because of its owner or its lists, or because it is a store of the tenant. */
  readonly isGranted: boolean | null;
  readonly isOrdinary: boolean | null;
  readonly claim: FolderClaim | null;
}

interface Place {
  readonly id: string;
  readonly path: string;
}

/**
 * Returns, by path, what a key sees of folders of which it may know the name only, because it added documents to a
 * folder that others use in private, or made a folder of the same name. Omits the folders that the key may know.
 */
export async function nameOnlyDetails(
  database: Queryable,
  scope: Scope,
  folders: readonly Place[],
): Promise<ReadonlyMap<string, SeenDetails>> {
  if (scope.reach === 'all' || folders.length === 0) return new Map();
  const parts: Contents[] = [];
  for (const part of shardsOf(scope)) parts.push(...(await contentsOf(database, part, folders)));
  const pathsOf = (kind: (folder: Contents) => boolean): ReadonlySet<string> =>
    new Set(parts.filter(kind).map(({ path }) => path));
  const seesOthers = pathsOf((folder) => folder.seesOthers);
  const hiding = pathsOf(({ hidesSome }) => hidesSome);
  // Only the row in the first shard has the owner and the lists.
  const own = new Map(parts.slice(0, folders.length).map((folder) => [folder.path, folder]));
  const unknown = folders.filter(({ path }) => {
    const { isGranted, isOrdinary: isPlain } = own.get(path) ?? {};
    return isGranted !== true && !seesOthers.has(path) && (isPlain !== true || hiding.has(path));
  });
  const unclaimed = unknown.filter(({ path }) => (own.get(path)?.claim ?? null) === null);
  const since = await seenSince(database, scope, unclaimed);
  return new Map(
    unknown.map(({ id, path }) => {
      const { claim = null, isOrdinary: isPlain } = own.get(path) ?? {};
      const at = claim === null ? (since.get(id) ?? new Date()) : new Date(claim.at);
      const owner = claim === null && isPlain === true ? null : ownerOf(scope);
      return [path, { description: claim?.description ?? null, createdAt: at, updatedAt: at, owner }];
    }),
  );
}

async function contentsOf(
  database: Queryable,
  part: Scope,
  folders: readonly Place[],
): Promise<readonly Contents[]> {
  const { appId, endUserId } = part;
  const [visible = TRUE] = visibleTo(part, sql`d.readers`);
  const others = sql`and d.owner is distinct from ${ownerOf(part)}::text${andVisible(part)}`;
  const documents = sql`select d.external_id from documents d where d.app_id = ${appId}`;
  return run<Contents>(
    database,
    sql`select n.path,
          (exists (${documents} and d.folder_path = n.path ${others})
            or exists (${documents} and ${belowPath(sql`d.folder_path`, sql`n.path`)} ${others})) as "seesOthers",
          exists (${documents} and d.folder_id = n.id and not (${visible})) as "hidesSome",
          (not ${isOrdinary(sql`f`)} and ${isReadable(part, sql`f`)}) as "isGranted",
          ${isOrdinary(sql`f`)} as "isOrdinary", f.claims -> ${endUserId}::text as claim
        from ${placesOf(folders)}
        left join folders f on f.app_id = ${appId} and f.folder_id = n.id
        order by n.place`,
  );
}

/** Returns, by id, when the first thing that the key may see was made in or below each folder: a document or a folder. */
async function seenSince(
  database: Queryable,
  scope: Scope,
  folders: readonly Place[],
): Promise<ReadonlyMap<string, Date>> {
  if (folders.length === 0) return new Map();
  const first = new Map<string, Date>();
  for (const part of shardsOf(scope)) {
    const { appId, endUserId } = part;
    const documents = sql`documents d where d.app_id = ${appId}`;
    const rows = await run<{ id: string; at: Date | null }>(
      database,
      sql`select n.id, least(
            (select min(d.created_at) from ${documents} and d.folder_path = n.path${andVisible(part)}),
            (select min(d.created_at) from ${documents} and ${belowPath(sql`d.folder_path`, sql`n.path`)}${andVisible(part)}),
            (select min(coalesce((g.claims -> ${endUserId}::text ->> 'at')::timestamptz, g.created_at)) from folders g
             where g.app_id = ${appId} and ${belowPath(sql`g.path`, sql`n.path`)}
               and (jsonb_exists(g.claims, ${endUserId}::text) or ${isReadable(part, sql`g`)}))) as at
          from ${placesOf(folders)}`,
    );
    for (const { id, at } of rows) {
      const known = first.get(id);
      if (at !== null && (known === undefined || at < known)) first.set(id, at);
    }
  }
  return first;
}

/** Returns a FROM item `n` with the columns `id`, `path` and `place`. */
function placesOf(folders: readonly Place[]): Sql {
  const ids = folders.map(({ id }) => id);
  const paths = folders.map(({ path }) => path);
  return sql`unnest(${ids}::uuid[], ${paths}::text[]) with ordinality as n(id, path, place)`;
}
