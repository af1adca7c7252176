import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { ChunkSizes } from '#reader';
import type { Owner } from '../../access/principal.js';
import { andVisibleTo } from '../../access/visible-to.js';
import type { Scope } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import type { TypedMetadata } from '../../metadata/typed-metadata.js';
import { printJson } from '../../json/exact-json.js';

export interface FileBatchRow {
  readonly id: string;
  readonly folderId: string;
  readonly createdAt: Date;
  readonly cancelledAt: Date | null;
  readonly owner: Owner;
}

export interface BatchFile {
  readonly fileId: string;
  /** Metadata of the document; null keeps the metadata of a file that is already attached. */
  readonly metadata: TypedMetadata['metadata'] | null;
  readonly chunking: ChunkSizes | null;
}

export interface WaitingFile extends BatchFile {
  readonly folderId: string;
  readonly createdAt: Date;
}

/** Identity and end user of a batch with pending files. */
export interface WaitingBatch {
  readonly appId: string;
  readonly id: string;
  readonly endUserId: string | null;
}

const COLUMNS = sql`b.batch_id as id, b.folder_id as "folderId", b.created_at as "createdAt",
  b.cancelled_at as "cancelledAt", b.owner`;

/**
 * Statements over file batches and their entries. An entry is a file that is pending, cancelled, or failed to attach.
 */
@Injectable()
export class FileBatchRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(
    manager: Queryable,
    { appId, endUserId }: Scope,
    batch: { readonly id: string; readonly folderId: string },
    files: readonly BatchFile[],
  ): Promise<FileBatchRow> {
    const { id, folderId } = batch;
    const [row] = await run<FileBatchRow>(
      manager,
      sql`insert into file_batches as b (app_id, batch_id, folder_id, end_user_id)
          values (${appId}, ${id}::uuid, ${folderId}::uuid, ${endUserId}) returning ${COLUMNS}`,
    );
    if (row === undefined) throw new Error('the inserted batch was not returned');
    await run(
      manager,
      sql`insert into file_batch_entries (app_id, batch_id, file_id, folder_id, metadata, chunking, created_at)
          select ${appId}, ${id}::uuid, f."fileId", ${folderId}::uuid, f.metadata, f.chunking, statement_timestamp()
          from jsonb_to_recordset(${printJson(files)}::jsonb)
            as f("fileId" uuid, metadata jsonb, chunking jsonb)`,
    );
    return row;
  }

  async find(scope: Scope, id: string, folderId: string): Promise<FileBatchRow | null> {
    const [row = null] = await run<FileBatchRow>(
      this.dataSource,
      sql`select ${COLUMNS} from file_batches b
          where b.app_id = ${scope.appId} and b.batch_id = ${id}::uuid
            and b.folder_id = ${folderId}::uuid${andVisibleTo(scope, sql`b.readers`)}`,
    );
    return row;
  }

  /** Cancels a batch if it has pending files. */
  async cancel({ appId }: Scope, id: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update file_batches b set cancelled_at = statement_timestamp()
          where b.app_id = ${appId} and b.batch_id = ${id}::uuid and b.cancelled_at is null
            and exists (select 1 from file_batch_entries e
              where e.app_id = ${appId} and e.batch_id = ${id}::uuid and e.error is null)`,
    );
  }

  /**
   * Returns the next pending file that is not locked, and locks it until the transaction ends; null if there is no such
   * file.
   */
  async takeNext(manager: Queryable, { appId }: Scope, batchId: string): Promise<WaitingFile | null> {
    const [row = null] = await run<WaitingFile>(
      manager,
      sql`select e.file_id as "fileId", e.metadata, e.chunking, e.folder_id as "folderId", e.created_at as "createdAt"
          from file_batch_entries e join file_batches b on b.app_id = ${appId} and b.batch_id = ${batchId}::uuid
          where e.app_id = ${appId} and e.batch_id = ${batchId}::uuid and e.error is null and b.cancelled_at is null
          order by e.file_id limit 1 for update of e skip locked`,
    );
    return row;
  }

  /** Removes the entry of a file that was attached or deleted. */
  async drop(manager: Queryable, { appId }: Scope, batchId: string, fileId: string): Promise<void> {
    await run(
      manager,
      sql`delete from file_batch_entries
          where app_id = ${appId} and batch_id = ${batchId}::uuid and file_id = ${fileId}::uuid`,
    );
  }

  /** Removes the entries of a file from all batches, if the key may read the file. */
  async dropFile(manager: Queryable, scope: Scope, fileId: string): Promise<void> {
    const { appId } = scope;
    await run(
      manager,
      sql`delete from file_batch_entries e where e.app_id = ${appId} and e.file_id = ${fileId}::uuid
          and exists (select 1 from files f
            where f.app_id = ${appId} and f.file_id = ${fileId}::uuid${andVisibleTo(scope, sql`f.readers`)})`,
    );
  }

  /** Deletes the batches of a person, with their waiting files. */
  async deleteOf({ appId }: Scope, endUserId: string): Promise<void> {
    await run(
      this.dataSource,
      sql`delete from file_batches where app_id = ${appId} and end_user_id = ${endUserId}`,
    );
  }

  /** Removes the entries of a file from the batches of a store. @returns whether there were entries */
  async dropFromStore({ appId }: Scope, folderId: string, fileId: string): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from file_batch_entries
          where app_id = ${appId} and folder_id = ${folderId}::uuid and file_id = ${fileId}::uuid returning file_id`,
    );
    return rows.length > 0;
  }

  /** Replaces the metadata in the entries of a file. @returns whether there are entries */
  async describe(
    { appId }: Scope,
    folderId: string,
    fileId: string,
    metadata: TypedMetadata['metadata'],
  ): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`update file_batch_entries set metadata = ${printJson(metadata)}::jsonb
          where app_id = ${appId} and folder_id = ${folderId}::uuid and file_id = ${fileId}::uuid returning file_id`,
    );
    return rows.length > 0;
  }

  /** Stores why a file cannot be attached. */
  async fail({ appId }: Scope, batchId: string, fileId: string, reason: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update file_batch_entries set error = ${reason}
          where app_id = ${appId} and batch_id = ${batchId}::uuid and file_id = ${fileId}::uuid`,
    );
  }

  /** Returns the batches with pending files of all tenants. */
  async waiting(): Promise<WaitingBatch[]> {
    return run(
      this.dataSource,
      sql`select b.app_id as "appId", b.batch_id as id, b.end_user_id as "endUserId" from file_batches b
          where b.cancelled_at is null and exists (select 1 from file_batch_entries e
            where e.app_id = b.app_id and e.batch_id = b.batch_id and e.error is null)`,
    );
  }
}
