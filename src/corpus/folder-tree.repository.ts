import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { listsOrNull, NOBODY, type AccessLists } from '../access/access-lists.js';
import { type Scope, shardIds, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { withinFolder } from '../filters/folders.js';
import { printJson } from '../json/exact-json.js';
import { remainsOf, writeRemains } from './folder-remains.js';
import { folderSight } from './folder-sight.js';
import { F, OWNED, type OwnedFolder } from './folder.repository.js';

/** Reads and changes a folder together with its descendants and their documents. */
@Injectable()
export class FolderTreeRepository {
  /** Returns a folder and all its descendants, whether or not the key may see their names. */
  async within(database: Queryable, scope: Scope, path: string): Promise<OwnedFolder[]> {
    return run(
      database,
      sql`select ${OWNED} from folders f where f.app_id = ${scope.appId} and ${withinFolder(path)} order by f.path`,
    );
  }

  /** Returns the paths of a folder and of its descendants whose names the key may see. */
  async namesWithin(database: Queryable, scope: Scope, path: string): Promise<string[]> {
    const sight = await folderSight(database, scope, [{ id: null, path }]);
    const rows = await run<{ path: string }>(
      database,
      sql`select f.path from folders f
          where f.app_id = ${scope.appId} and ${withinFolder(path)} and ${sight.shown(F)} order by f.path`,
    );
    return rows.map((row) => row.path);
  }

  async extent(manager: Queryable, scope: Scope, path: string): Promise<Extent> {
    const [own, ...others] = await eachPart(scope, (part) => this.extentOfPart(manager, part, path));
    return { ...own, documents: [own, ...others].reduce((sum, { documents }) => sum + documents, 0) };
  }

  private async extentOfPart(manager: Queryable, scope: Scope, path: string): Promise<Extent> {
    const [row] = await run<Extent>(
      manager,
      sql`select array_agg(f.folder_id::text) as "folderIds", max(octet_length(f.path)) as longest,
            max(length(f.path) - length(replace(f.path, '/', '')))::integer as deepest,
            coalesce(sum((select count(*) from documents d
                 where d.app_id = ${scope.appId} and d.folder_id = f.folder_id)), 0)::integer as documents
          from folders f where f.app_id = ${scope.appId} and ${withinFolder(path)}`,
    );
    if (row === undefined) throw new Error('the aggregate returned no row');
    return row;
  }

  /**
   * Renames a folder with its descendants and documents, except what stays for people who must not learn the new path (see
   * {@link remainsOf}). The lists of all of them must be refreshed. The tree must be locked exclusively, and the new path
   * unused.
   */
  async rename(manager: Queryable, scope: Scope, from: string, to: string): Promise<void> {
    const remains = await remainsOf(manager, scope, from);
    const { staying, strangers } = remains;
    for (const appId of shardIds(scope)) {
      await run(
        manager,
        sql`update folders f set path = ${to}::text || substr(f.path, length(${from}::text) + 1),
              claims = case when f.path = ${from} then '{}' else f.claims - ${strangers}::text[] end,
              updated_at = statement_timestamp()
            where f.app_id = ${appId} and ${withinFolder(from)} and f.folder_id <> all(${staying}::uuid[])`,
      );
    }
    await writeRemains(manager, scope, remains, (path) => to + path.slice(from.length));
    for (const appId of shardIds(scope)) {
      await run(
        manager,
        sql`update documents d set folder_path = f.path from folders f
            where f.app_id = ${appId} and ${withinFolder(to)} and d.app_id = ${appId} and d.folder_id = f.folder_id`,
      );
    }
  }

  /**
   * Gives a folder its own lists; null: those of the nearest folder above that has lists count. The tree must be locked
   * exclusively.
   */
  async setLists(manager: Queryable, { appId }: Scope, id: string, lists: AccessLists | null): Promise<void> {
    await run(
      manager,
      sql`update folders f set access = ${listsOrNull(lists)}::jsonb, updated_at = statement_timestamp()
          where f.app_id = ${appId} and f.folder_id = ${id}::uuid`,
    );
  }

  /**
   * Brings the inherited lists of a folder, of its descendants and of their documents up to date, after a change of lists
   * or of the path. A person's document that was private stays private: it gets empty lists of its own. The tree must be
   * locked exclusively.
   * @returns the number of documents whose readers, writers or admins changed
   */
  async refreshLists(manager: Queryable, scope: Scope, path: string): Promise<number> {
    await run(
      manager,
      sql`update folders f set folder_access = (
            select p.access from folders p
            where p.app_id = ${scope.appId} and p.access is not null and f.path > p.path || '/' and f.path < p.path || '0'
            order by length(p.path) desc limit 1)
          where f.app_id = ${scope.appId} and ${withinFolder(path)}`,
    );
    const folders = await run<{ id: string; lists: AccessLists | null }>(
      manager,
      sql`select f.folder_id as id, coalesce(f.access, f.folder_access) as lists
          from folders f where f.app_id = ${scope.appId} and ${withinFolder(path)}`,
    );
    let changed = 0;
    for (const appId of shardIds(scope)) {
      const rows = await run<{ inherits: boolean }>(
        manager,
        sql`update documents d set folder_access = n.lists,
              access = case when d.access is null and d.folder_access is null and d.end_user_id is not null
                then ${printJson(NOBODY)}::jsonb else d.access end
            from jsonb_to_recordset(${printJson(folders)}::jsonb) as n(id uuid, lists jsonb)
            where d.app_id = ${appId} and d.folder_id = n.id and d.folder_access is distinct from n.lists
            returning d.access is null as inherits`,
      );
      changed += rows.filter(({ inherits }) => inherits).length;
    }
    return changed;
  }

  /** Removes a folder and its descendants, which must contain no documents. */
  async delete(manager: Queryable, scope: Scope, path: string): Promise<void> {
    for (const appId of shardIds(scope)) {
      await run(manager, sql`delete from folders f where f.app_id = ${appId} and ${withinFolder(path)}`);
    }
  }
}

interface Extent {
  readonly folderIds: readonly string[];
  /** Bytes of the longest path. */
  readonly longest: number;
  /** Segments of the deepest path. */
  readonly deepest: number;
  readonly documents: number;
}

/**
 * Queries the shards of a tenant one after the other, because they may share a transaction. The first shard has all
 * folders.
 */
async function eachPart<T>(scope: Scope, ask: (part: Scope) => Promise<T>): Promise<[T, ...T[]]> {
  const [first = scope, ...others] = shardsOf(scope);
  const answers: [T, ...T[]] = [await ask(first)];
  for (const part of others) answers.push(await ask(part));
  return answers;
}
