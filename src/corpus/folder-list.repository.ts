import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { type Sql } from 'sql-template-tag';
import { type Scope, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { andVisible } from '../filters/document-predicate.js';
import { ROOT_FOLDER } from '../filters/folders.js';
import { folderSight, nameOnlyDetails, type FolderSight } from './folder-sight.js';
import { OWNED, type OwnedFolder } from './folder.repository.js';

/** A folder with its parent, as a key sees it. */
export interface Folder extends OwnedFolder {
  /** null if the folder is at the top level. */
  readonly parentId: string | null;
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Whether others use the folder in private, so that the key may know its name only; absent: no. */
  readonly isNameOnly?: true;
}

export interface DescribedFolder extends Folder {
  /** Number of direct subfolders. */
  readonly childCount: number;
  /** Documents in the folder itself. */
  readonly documentIds: readonly string[];
}

export interface CountedFolder extends Folder {
  /** Documents in the folder itself. */
  readonly documentCount: number;
}

/** Selects folders whose names the key may see, ordered by path. */
export interface FolderPage {
  /** Path of the folder whose direct subfolders are selected, `/` for the top level; null: folders at any depth. */
  readonly parent: string | null;
  readonly skip: number;
  readonly limit: number;
}

/** Lists folders with their direct contents. The database selects the page before it reads contents. */
@Injectable()
export class FolderListRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: Scope, page: FolderPage): Promise<DescribedFolder[]> {
    const sight = await folderSight(this.dataSource, scope, above(page));
    return this.described(this.dataSource, scope, sight, pageOf(scope, sight, page));
  }

  /** Returns folders, whether or not the key may see their names. */
  async describe(database: Queryable, scope: Scope, ids: readonly string[]): Promise<DescribedFolder[]> {
    const sight = await folderSight(
      database,
      scope,
      ids.map((id) => ({ id, path: null })),
    );
    const rows = sql`select f.* from folders f where f.app_id = ${scope.appId} and f.folder_id = any(${ids}::uuid[])`;
    return this.described(database, scope, sight, rows);
  }

  private async described(
    database: Queryable,
    scope: Scope,
    sight: FolderSight,
    rows: Sql,
  ): Promise<DescribedFolder[]> {
    const { appId } = scope;
    const folders = await run<DescribedFolder>(
      database,
      sql`select ${FOLDER},
            (select count(*)::integer from folders c
             where c.app_id = ${appId} and c.parent = f.path and ${sight.shown(sql`c`)}) as "childCount",
            array(select d.external_id::text from documents d
                  where d.app_id = ${appId} and d.folder_id = f.folder_id${andVisible(scope)} order by d.external_id) as "documentIds"
          from (${rows}) f ${withParent(scope)} order by f.path`,
    );
    const elsewhere = new Map<string, string[]>();
    for (const { id, document } of await this.ofOtherShards<{ id: string; document: string }>(
      database,
      scope,
      folders,
      (documents) => sql`select d.folder_id as id, d.external_id::text as document ${documents}`,
    )) {
      elsewhere.set(id, [...(elsewhere.get(id) ?? []), document]);
    }
    const merged = folders.map((folder) => {
      const more = elsewhere.get(folder.id);
      return more === undefined
        ? folder
        : { ...folder, documentIds: [...folder.documentIds, ...more].sort() };
    });
    return asSeen(database, scope, merged);
  }

  /** Returns folders with their document counts. */
  async count(scope: Scope, page: FolderPage): Promise<CountedFolder[]> {
    const sight = await folderSight(this.dataSource, scope, above(page));
    const folders = await run<CountedFolder>(
      this.dataSource,
      sql`select ${FOLDER},
            (select count(*)::integer from documents d
             where d.app_id = ${scope.appId} and d.folder_id = f.folder_id${andVisible(scope)}) as "documentCount"
          from (${pageOf(scope, sight, page)}) f ${withParent(scope)} order by f.path`,
    );
    const elsewhere = new Map<string, number>();
    for (const { id, count } of await this.ofOtherShards<{ id: string; count: number }>(
      this.dataSource,
      scope,
      folders,
      (documents) => sql`select d.folder_id as id, count(*)::integer as count ${documents} group by 1`,
    )) {
      elsewhere.set(id, count + (elsewhere.get(id) ?? 0));
    }
    const summed = folders.map((folder) => ({
      ...folder,
      documentCount: folder.documentCount + (elsewhere.get(folder.id) ?? 0),
    }));
    return asSeen(this.dataSource, scope, summed);
  }

  /**
   * Queries the documents in folders in all shards but the first, one shard after the other, because they may share a
   * transaction.
   */
  private async ofOtherShards<T>(
    database: Queryable,
    scope: Scope,
    folders: readonly Folder[],
    statement: (documents: Sql) => Sql,
  ): Promise<T[]> {
    const [, ...others] = shardsOf(scope);
    const ids = folders.map(({ id }) => id);
    const rows: T[] = [];
    for (const part of others) {
      const documents = sql`from documents d
        where d.app_id = ${part.appId} and d.folder_id = any(${ids}::uuid[])${andVisible(part)}`;
      rows.push(...(await run<T & object>(database, statement(documents))));
    }
    return rows;
  }
}

/** Removes from folders what the key may not know. */
async function asSeen<T extends Folder>(
  database: Queryable,
  scope: Scope,
  folders: readonly T[],
): Promise<T[]> {
  const nameOnly = await nameOnlyDetails(database, scope, folders);
  return folders.map((folder) => {
    const details = nameOnly.get(folder.path);
    return details === undefined
      ? folder
      : { ...folder, ...details, access: null, folder_access: null, isNameOnly: true };
  });
}

/** The folder that contains a page of folders. */
function above({ parent }: FolderPage): { id: null; path: string }[] | null {
  return parent === null || parent === ROOT_FOLDER ? null : [{ id: null, path: parent }];
}

function pageOf({ appId }: Scope, sight: FolderSight, { parent, skip, limit }: FolderPage): Sql {
  const inParent = parent === null ? sql`` : sql` and f.parent = ${parent === ROOT_FOLDER ? '' : parent}`;
  return sql`select f.* from folders f where f.app_id = ${appId}${inParent} and ${sight.shown(sql`f`)}
    order by f.path limit ${limit} offset ${skip}`;
}

const FOLDER = sql`${OWNED}, p.folder_id as "parentId", f.description,
  f.created_at as "createdAt", f.updated_at as "updatedAt"`;

function withParent({ appId }: Scope): Sql {
  return sql`left join folders p on p.app_id = ${appId} and p.path = f.parent`;
}
