import { Injectable } from '@nestjs/common';
import sql, { join, type Sql } from 'sql-template-tag';
import { DataSource, type EntityManager } from 'typeorm';
import { andVisibleTo } from '../../access/visible-to.js';
import { type Scope, shardsOf } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import { andVisible } from '../../filters/document-predicate.js';
import { STORES_FOLDER } from '../../filters/store-folders.js';
import { printJson } from '../../json/exact-json.js';
import { STATUS } from '../document.repository.js';
import type { DocumentStatus } from '../document-row.js';
import { FolderEntity } from '../folder.entity.js';
import { folderSight, nameOnlyDetails, type FolderSight } from '../folder-sight.js';
import type { FolderReference, OwnedFolder } from '../folder.repository.js';
import { notAttached } from './store-file.repository.js';
import {
  createdAtOfId,
  microseconds,
  rowsOf,
  windowOf,
  type CreationWindow,
  type Position,
  type WindowRows,
} from './creation-window.js';

/** A folder as a vector store. */
export interface VectorStoreRow extends Position, OwnedFolder {
  readonly createdAt: Date;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly expiresAfterDays: number | null;
  /** null if the folder has never been used as a store. */
  readonly lastActiveAt: Date | null;
  readonly isExpired: boolean;
}

/** Properties of a vector store besides its folder. */
export interface VectorStoreChange {
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly expiresAfterDays: number | null;
}

/** Number of files of a store or batch that have this status. */
export interface FileCount {
  /** Id of the folder or batch. */
  readonly id: string;
  readonly status: DocumentStatus | 'cancelled';
  readonly files: number;
  readonly textLength: number;
  readonly chunks: number;
}

interface ExpiredStore {
  readonly appId: string;
  readonly id: string;
}

/** Minimum interval between two activity writes, so that not every search writes the row. */
const ACTIVE_FOR = sql`interval '1 minute'`;

const EXPIRES_AT = sql`v.last_active_at + make_interval(days => v.expires_after_days)`;

const COLUMNS = sql`f.folder_id as id, ${microseconds(sql`f.created_at`)} as at, f.path, f.owner, f.access, f.folder_access,
  f.created_at as "createdAt",
  v.name, v.metadata, v.expires_after_days as "expiresAfterDays", v.last_active_at as "lastActiveAt",
  coalesce(${EXPIRES_AT} <= statement_timestamp(), false) as "isExpired"`;

/** Reads and writes vector stores, which are folders, and counts their files. */
@Injectable()
export class VectorStoreRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Creates a store and its folder. The caller must have locked the folder tree. */
  async insert(
    manager: EntityManager,
    { appId, endUserId }: Scope,
    { id, path }: FolderReference,
    change: VectorStoreChange,
  ): Promise<void> {
    await manager.insert(FolderEntity, {
      appId,
      folderId: id,
      path,
      endUserId,
      createdAt: createdAtOfId(id),
    });
    await this.write(manager, { appId }, id, change);
  }

  /** Writes the properties of a store. A write counts as activity of the store. */
  async write(
    manager: Queryable,
    { appId }: Pick<Scope, 'appId'>,
    folderId: string,
    { name, description, metadata, expiresAfterDays }: VectorStoreChange,
  ): Promise<void> {
    const values = sql`${name}, ${description}, ${metadata === null ? null : printJson(metadata)}::jsonb,
      ${expiresAfterDays}::integer, statement_timestamp()`;
    await run(
      manager,
      sql`insert into vector_stores (app_id, folder_id, name, description, metadata, expires_after_days, last_active_at)
          values (${appId}, ${folderId}::uuid, ${values})
          on conflict (app_id, folder_id) do update set name = excluded.name, metadata = excluded.metadata,
            description = coalesce(excluded.description, vector_stores.description),
            expires_after_days = excluded.expires_after_days, last_active_at = excluded.last_active_at, emptied_at = null`,
    );
  }

  /** Records activity of stores. */
  async touch({ appId }: Scope, folderIds: readonly string[]): Promise<void> {
    await run(
      this.dataSource,
      sql`update vector_stores v set last_active_at = statement_timestamp()
          where v.app_id = ${appId} and v.folder_id = any(${folderIds}::uuid[])
            and v.last_active_at < statement_timestamp() - ${ACTIVE_FOR}`,
    );
  }

  async find(
    scope: Scope,
    folderId: string,
    database: Queryable = this.dataSource,
  ): Promise<VectorStoreRow | null> {
    const sight = await folderSight(database, scope, [{ id: folderId, path: null }]);
    const found = await run<VectorStoreRow>(
      database,
      sql`${stores(scope, sight)} and f.folder_id = ${folderId}::uuid`,
    );
    const [store = null] = await asSeen(database, scope, found);
    return store;
  }

  async findAll(scope: Scope, folderIds: readonly string[]): Promise<VectorStoreRow[]> {
    const found = await Promise.all(folderIds.map((id) => this.find(scope, id)));
    return found.filter((store) => store !== null);
  }

  async list(scope: Scope, window: CreationWindow): Promise<WindowRows<VectorStoreRow>> {
    const sight = await folderSight(this.dataSource, scope, null);
    const rows = await run<VectorStoreRow>(this.dataSource, windowOf(stores(scope, sight), window));
    return rowsOf(await asSeen(this.dataSource, scope, rows), window);
  }

  /** Counts the files of stores by status, including waiting files of batches. */
  countFiles(scope: Scope, folderIds: readonly string[]): Promise<FileCount[]> {
    return this.count(scope, {
      documents: sql`d.folder_id = any(${folderIds}::uuid[])`,
      ofDocuments: sql`d.folder_id`,
      entries: sql`e.folder_id = any(${folderIds}::uuid[]) and (b.cancelled_at is null or e.error is not null)
        and ${notAttached(scope.appId)}`,
      ofEntries: sql`e.folder_id`,
    });
  }

  /** Counts the files of a batch by status. Cancelled files are included. */
  countBatch(scope: Scope, batchId: string): Promise<FileCount[]> {
    return this.count(scope, {
      documents: sql`a.batch_id = ${batchId}::uuid`,
      ofDocuments: sql`a.batch_id`,
      entries: sql`e.batch_id = ${batchId}::uuid`,
      ofEntries: sql`e.batch_id`,
    });
  }

  /**
   * Counts documents, and entries of batches that are not documents yet. For a tenant without shards, one statement
   * counts both, so a file that is being attached counts once. For a tenant in shards, entries are counted first: a
   * file that is being attached may count twice, but is never missed.
   */
  private async count(
    scope: Scope,
    { documents, ofDocuments, entries, ofEntries }: Counted,
  ): Promise<FileCount[]> {
    const counts: FileCount[] = [];
    for (const [index, { appId }] of shardsOf(scope).entries()) {
      const sources = [
        ...(index === 0
          ? [
              sql`select ${ofEntries} as id, case when e.error is not null then 'failed'
                    when b.cancelled_at is not null then 'cancelled' else 'processing' end as status,
                    count(*)::integer as files, 0::float8 as "textLength", 0::float8 as chunks
                  from file_batch_entries e
                  join file_batches b on b.app_id = ${appId} and b.batch_id = e.batch_id
                  where e.app_id = ${appId} and ${entries}${andVisibleTo(scope, sql`b.readers`)} group by 1, 2`,
            ]
          : []),
        sql`select ${ofDocuments} as id, ${STATUS} as status, count(*)::integer as files,
              sum(d.text_length)::float8 as "textLength", sum(d.chunk_count)::float8 as chunks
            from documents d
            left join file_attachments a on a.app_id = ${appId} and a.document_id = d.external_id
            where d.app_id = ${appId} and ${documents}${andVisible(scope)} group by 1, 2`,
      ];
      counts.push(...(await run<FileCount>(this.dataSource, join(sources, ' union all '))));
    }
    return counts;
  }

  /** Records that the documents of an expired store were removed. */
  async markEmptied(manager: Queryable, { appId }: Scope, folderId: string): Promise<void> {
    await run(
      manager,
      sql`update vector_stores v set emptied_at = statement_timestamp()
          where v.app_id = ${appId} and v.folder_id = ${folderId}::uuid`,
    );
  }

  /** Lists expired stores of all tenants that may still contain documents. */
  async expired(limit: number): Promise<ExpiredStore[]> {
    return run(
      this.dataSource,
      sql`select v.app_id as "appId", v.folder_id as id from vector_stores v
          where v.expires_after_days is not null and v.emptied_at is null and ${EXPIRES_AT} <= statement_timestamp()
          order by v.last_active_at limit ${limit}`,
    );
  }
}

interface Counted {
  readonly documents: Sql;
  readonly ofDocuments: Sql;
  readonly entries: Sql;
  readonly ofEntries: Sql;
}

/** Removes from stores what the key may not know. */
async function asSeen(
  database: Queryable,
  scope: Scope,
  rows: readonly VectorStoreRow[],
): Promise<VectorStoreRow[]> {
  const nameOnly = await nameOnlyDetails(database, scope, rows);
  return rows.map((store) => {
    const details = nameOnly.get(store.path);
    if (details === undefined) return store;
    return { ...store, name: null, metadata: null, expiresAfterDays: null, createdAt: details.createdAt };
  });
}

/** Selects the folders that a key sees as stores, except the parent folder of stores. */
function stores({ appId }: Scope, sight: FolderSight): Sql {
  return sql`select ${COLUMNS} from folders f
    left join vector_stores v on v.app_id = ${appId} and v.folder_id = f.folder_id
    where f.app_id = ${appId} and f.path <> ${STORES_FOLDER} and ${sight.shown(sql`f`)}`;
}
