import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import type { ChunkSizes } from '../../config/combinations.js';
import { run, type Queryable } from '../../database/run.js';
import type { TypedMetadata } from '../../metadata/typed-metadata.js';
import { printJson } from '../../json/exact-json.js';

export interface FileBatchRow {
  readonly id: string;
  readonly folderId: string;
  readonly createdAt: Date;
  readonly cancelledAt: Date | null;
}

/** A file that a batch puts into its store. */
export interface BatchFile {
  readonly fileId: string;
  /** Of its document; null: an attached file keeps what it has. */
  readonly metadata: TypedMetadata['metadata'] | null;
  readonly chunking: ChunkSizes | null;
}

export interface WaitingFile extends BatchFile {
  readonly folderId: string;
  readonly createdAt: Date;
}

/** A batch of some tenant. */
export interface WaitingBatch {
  readonly appId: string;
  readonly id: string;
}

/** Every statement over file batches and their files that are not attached. */
@Injectable()
export class FileBatchRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(
    manager: Queryable,
    { appId }: Scope,
    batch: { readonly id: string; readonly folderId: string },
    files: readonly BatchFile[],
  ): Promise<FileBatchRow> {
    const { id, folderId } = batch;
    const [row] = await run<FileBatchRow>(
      manager,
      sql`insert into file_batches (app_id, batch_id, folder_id) values (${appId}, ${id}::uuid, ${folderId}::uuid)
          returning batch_id as id, folder_id as "folderId", created_at as "createdAt", cancelled_at as "cancelledAt"`,
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

  async find({ appId }: Scope, id: string, folderId: string): Promise<FileBatchRow | null> {
    const [row = null] = await run<FileBatchRow>(
      this.dataSource,
      sql`select batch_id as id, folder_id as "folderId", created_at as "createdAt", cancelled_at as "cancelledAt"
          from file_batches
          where app_id = ${appId} and batch_id = ${id}::uuid and folder_id = ${folderId}::uuid`,
    );
    return row;
  }

  /** What waits in the batch is not attached any more. */
  async cancel({ appId }: Scope, id: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update file_batches b set cancelled_at = statement_timestamp()
          where b.app_id = ${appId} and b.batch_id = ${id}::uuid and b.cancelled_at is null
            and exists (select 1 from file_batch_entries e
              where e.app_id = ${appId} and e.batch_id = ${id}::uuid and e.error is null)`,
    );
  }

  /** The next file of a batch, locked until the transaction ends; null when no other is free. */
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

  /** A file of the batch is attached, or has gone. */
  async drop(manager: Queryable, { appId }: Scope, batchId: string, fileId: string): Promise<void> {
    await run(
      manager,
      sql`delete from file_batch_entries
          where app_id = ${appId} and batch_id = ${batchId}::uuid and file_id = ${fileId}::uuid`,
    );
  }

  /** A file is deleted: no batch attaches it any more. */
  async dropFile(manager: Queryable, { appId }: Scope, fileId: string): Promise<void> {
    await run(
      manager,
      sql`delete from file_batch_entries where app_id = ${appId} and file_id = ${fileId}::uuid`,
    );
  }

  /** A file is taken out of a store. @returns whether it was waiting for it */
  async dropFromStore({ appId }: Scope, folderId: string, fileId: string): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from file_batch_entries
          where app_id = ${appId} and folder_id = ${folderId}::uuid and file_id = ${fileId}::uuid returning file_id`,
    );
    return rows.length > 0;
  }

  /** Gives a file that waits for a store other metadata. @returns whether it still waits */
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

  /** A file of the batch cannot be attached. */
  async fail({ appId }: Scope, batchId: string, fileId: string, reason: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update file_batch_entries set error = ${reason}
          where app_id = ${appId} and batch_id = ${batchId}::uuid and file_id = ${fileId}::uuid`,
    );
  }

  /** Batches of all tenants with files that wait. */
  async waiting(): Promise<WaitingBatch[]> {
    return run(
      this.dataSource,
      sql`select b.app_id as "appId", b.batch_id as id from file_batches b
          where b.cancelled_at is null and exists (select 1 from file_batch_entries e
            where e.app_id = b.app_id and e.batch_id = b.batch_id and e.error is null)`,
    );
  }
}
