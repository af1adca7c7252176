import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import sql, { type Sql } from 'sql-template-tag';
import { effectiveLists, listsOrNull, type AccessLists } from '../access/access-lists.js';
import type { Owned } from '../access/may.js';
import { placedLists } from '../access/placed-lists.js';
import { type Scope, shardOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { printJson } from '../json/exact-json.js';
import { lineage } from '../filters/folders.js';
import { STORES_FOLDER } from '../filters/store-folders.js';
import { TRUE } from '../filters/sql/expressions.js';
import { Quotas } from '../quotas/quotas.service.js';
import { folderSight, nameOnlyDetails } from './folder-sight.js';
import type { FolderClaim } from './folder.entity.js';

export interface FolderReference {
  readonly id: string;
  readonly path: string;
}

export interface OwnedFolder extends FolderReference, Required<Owned> {}

/** Reference to a folder in a request: its id, its normalised path, or a text that may be either. */
export interface FolderName {
  readonly id: string | null;
  readonly path: string;
}

/** Key of the advisory locks on the folder trees of tenants: "fold" as a number. */
const TREE_LOCK = 0x666f6c64;

/**
 * Finds and makes folders. A transaction first locks the tenant's folder tree. The lock is shared to add folders or
 * documents, and exclusive to move or remove folders. It prevents deadlocks, and it prevents additions to a folder that
 * is being removed.
 */
@Injectable()
export class FolderRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: Quotas,
  ) {}

  /** Locks the tree against moves and removals until the transaction of `manager` ends. */
  async lockShared(manager: Queryable, { appId }: Scope): Promise<void> {
    await run(manager, sql`select pg_advisory_xact_lock_shared(${TREE_LOCK}, hashtext(${appId}))`);
  }

  /** Locks the tree exclusively until the transaction of `manager` ends. */
  async lockAlone(manager: Queryable, { appId }: Scope): Promise<void> {
    await run(manager, sql`select pg_advisory_xact_lock(${TREE_LOCK}, hashtext(${appId}))`);
  }

  /**
   * Returns the folder with a path. Creates the folder and its ancestors if they are missing; they belong to the person
   * of the key. Returns null for the root, which has no row. Locks the tree until the transaction ends, so that the path
   * stays valid.
   * @param claimed the number of folders on the path that the person has just claimed. They count like new ones, because
   * they become folders when those of the others move.
   * @throws Forbidden if a folder on the path has lists that let the key read, but not write; PayloadTooLarge beyond the
   * quota of folders.
   */
  async ensure(manager: EntityManager, scope: Scope, path: string, claimed = 0): Promise<OwnedFolder | null> {
    // All writers change claims, insert and count in this order, which prevents deadlocks.
    const paths = lineage(path);
    if (paths.length === 0) return null;
    await this.lockShared(manager, scope);
    const owner = path === STORES_FOLDER ? null : scope.endUserId;
    const made = await run<{ path: string }>(
      manager,
      sql`insert into folders (app_id, folder_id, path, end_user_id)
          select ${scope.appId}, n.id, n.path, ${owner}::text
          from unnest(${paths.map(() => randomUUID())}::uuid[], ${paths}::text[]) as n(id, path)
          on conflict do nothing returning path`,
    );
    await this.quotas.take(manager, { ...scope, endUserId: owner }, 'folders', made.length + claimed);
    const folders = await run<OwnedFolder>(
      manager,
      sql`select ${OWNED} from folders f
          where f.app_id = ${scope.appId} and f.path = any(${paths}::text[]) order by length(f.path)`,
    );
    if (made.length > 0) await this.inherit(manager, scope, folders, new Set(made.map((row) => row.path)));
    const [folder] = await run<OwnedFolder>(
      manager,
      sql`select ${OWNED} from folders f where f.app_id = ${scope.appId} and f.path = ${path}`,
    );
    if (folder === undefined) throw new Error('the folder was not inserted');
    return folder;
  }

  /** Gives new folders the lists of the nearest folder above them that has lists. */
  private async inherit(
    manager: Queryable,
    scope: Scope,
    lineage: readonly OwnedFolder[],
    made: ReadonlySet<string>,
  ): Promise<void> {
    const above = lineage.filter(({ path }) => !made.has(path)).at(-1);
    const lists = above === undefined ? null : effectiveLists(above);
    if (above === undefined || lists === null) return;
    const own = placedLists(scope, above, null);
    const [first, ...below] = lineage.filter(({ path }) => made.has(path)).map(({ id }) => id);
    if (first === undefined) return;
    await this.writeLists(manager, scope, [first], own, lists);
    await this.writeLists(manager, scope, below, null, own ?? lists);
  }

  private async writeLists(
    manager: Queryable,
    { appId }: Scope,
    ids: readonly string[],
    access: AccessLists | null,
    inherited: AccessLists | null,
  ): Promise<void> {
    await run(
      manager,
      sql`update folders f set access = ${listsOrNull(access)}::jsonb, folder_access = ${listsOrNull(inherited)}::jsonb
          where f.app_id = ${appId} and f.folder_id = any(${ids}::uuid[])`,
    );
  }

  /** Like `ensure`, but also copies the folder to the shard of the document that the caller will put into it. */
  async ensureFor(
    manager: EntityManager,
    scope: Scope,
    path: string,
    documentId: string,
  ): Promise<OwnedFolder | null> {
    await this.lockShared(manager, scope);
    await this.dropClaims(manager, scope, path);
    const folder = await this.ensure(manager, scope, path);
    if (folder !== null) await this.copyFor(manager, scope, folder, documentId);
    return folder;
  }

  /**
   * Copies a folder's row to the tenant shard of a document, because a document references a folder of its own shard. The
   * caller must have locked the tree.
   */
  async copyFor(
    manager: Queryable,
    scope: Scope,
    { id, path }: FolderReference,
    documentId: string,
  ): Promise<void> {
    const { appId } = shardOf(scope, documentId);
    if (appId === scope.appId) return;
    await run(
      manager,
      sql`insert into folders (app_id, folder_id, path) values (${appId}, ${id}::uuid, ${path}) on conflict do nothing`,
    );
  }

  /**
   * Like `findVisible`, but also returns, by its path only, a folder of the tenant that has no lists and that others use in
   * private. The key may not see the name of such a folder, and so its id is unknown. A key may add documents to it.
   */
  async findOpen(database: Queryable, scope: Scope, name: FolderName): Promise<OwnedFolder | null> {
    const visible = await this.findVisible(database, scope, name);
    if (visible !== null) return visible;
    const folder = await this.find(database, scope, { id: null, path: name.path });
    return folder !== null && folder.owner === null && effectiveLists(folder) === null ? folder : null;
  }

  /** Like `find`, but returns only a folder whose name the key may see. */
  async findVisible(database: Queryable, scope: Scope, name: FolderName): Promise<OwnedFolder | null> {
    const sight = await folderSight(database, scope, [name]);
    return this.findWhere(database, scope, name, sight.shown(F));
  }

  /**
   * Returns the folder with an id or path, whether or not the key may see its name. If a name is the id of one folder
   * and the path of another, the id takes precedence.
   */
  async find(database: Queryable, scope: Scope, name: FolderName): Promise<OwnedFolder | null> {
    return this.findWhere(database, scope, name, TRUE);
  }

  private async findWhere(
    database: Queryable,
    scope: Scope,
    name: FolderName,
    condition: Sql,
  ): Promise<OwnedFolder | null> {
    const [folder = null] = await run<OwnedFolder>(
      database,
      sql`select ${OWNED} from folders f
          where f.app_id = ${scope.appId} and (f.folder_id = ${name.id}::uuid or f.path = ${name.path}) and ${condition}
          order by f.folder_id = ${name.id}::uuid desc limit 1`,
    );
    return folder;
  }

  /**
   * Returns the folders that have one of the given ids or paths and whose names the key may see. Returns each folder
   * once, in no particular order.
   */
  async findAll(scope: Scope, names: readonly FolderName[]): Promise<FolderReference[]> {
    const ids = names.flatMap(({ id }) => id ?? []);
    const paths = names.map(({ path }) => path);
    const sight = await folderSight(this.dataSource, scope, names);
    return run(
      this.dataSource,
      sql`select f.folder_id as id, f.path from folders f
          where f.app_id = ${scope.appId} and (f.folder_id = any(${ids}::uuid[]) or f.path = any(${paths}::text[]))
            and ${sight.shown(F)}`,
    );
  }

  /** Whether the key may know more of a folder than its name. */
  async isKnown(database: Queryable, scope: Scope, folder: FolderReference): Promise<boolean> {
    return !(await nameOnlyDetails(database, scope, [folder])).has(folder.path);
  }

  /**
   * Records that a person also makes folders which others had made in private: those on the path whose names the person
   * does not see. It comes before the path is made, because a new subfolder shows the names of the folders above it. The
   * caller must have locked the tree.
   * @returns the paths of the claimed folders
   */
  async claim(manager: Queryable, scope: Scope, path: string, description: string | null): Promise<string[]> {
    const { appId, endUserId } = scope;
    if (endUserId === null || scope.reach === 'all') return [];
    const [top = path] = lineage(path);
    const sight = await folderSight(manager, scope, [{ id: null, path: top }]);
    const concealed = await run<{ path: string }>(
      manager,
      sql`select f.path from folders f
          where f.app_id = ${appId} and f.path = any(${lineage(path)}::text[]) and not (${sight.shown(F)})
          order by f.path`,
    );
    const at = new Date().toISOString();
    for (const { path: one } of concealed) {
      const claim: FolderClaim = { at, description: one === path ? description : null };
      await run(
        manager,
        sql`update folders f set claims = f.claims || ${printJson({ [endUserId]: claim })}::jsonb
            where f.app_id = ${appId} and f.path = ${one}`,
      );
    }
    return concealed.map((folder) => folder.path);
  }

  /** Forgets the claims of a person who now sees a folder and its ancestors by a document that is added to it. */
  async dropClaims(manager: Queryable, scope: Scope, path: string): Promise<void> {
    const { appId, endUserId } = scope;
    if (endUserId === null || scope.reach === 'all') return;
    await run(
      manager,
      sql`update folders f set claims = f.claims - ${endUserId}::text
          where f.app_id = ${appId} and f.path = any(${lineage(path)}::text[]) and jsonb_exists(f.claims, ${endUserId}::text)`,
    );
  }

  /** Sets the description of a folder that has none. */
  async describeFirst(manager: Queryable, scope: Scope, id: string, description: string): Promise<void> {
    await run(
      manager,
      sql`update folders set description = ${description}, updated_at = statement_timestamp()
          where app_id = ${scope.appId} and folder_id = ${id}::uuid and description is null`,
    );
  }
}

export const F = sql`f`;

/** Columns of an `OwnedFolder` of the row `f` of `folders`. */
export const OWNED = sql`f.folder_id as id, f.path, f.owner, f.access, f.folder_access`;
