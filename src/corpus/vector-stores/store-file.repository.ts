import { Injectable } from '@nestjs/common';
import sql, { join, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { ChunkSizes } from '#reader';
import { andVisibleTo } from '../../access/visible-to.js';
import { may, type Owned } from '../../access/may.js';
import { byShard, type Scope, shardOf, shardsOf, tenantOf } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import { Forbidden } from '../../errors/index.js';
import { andVisible, visibility } from '../../filters/document-predicate.js';
import { GIVEN_FILENAME, GIVEN_METADATA } from '../../filters/given-spelling.js';
import { printJson } from '../../json/exact-json.js';
import type { TypedMetadata } from '../../metadata/typed-metadata.js';
import { STATUS } from '../document.repository.js';
import type { DocumentStatus, ErrorKind } from '../document-row.js';
import {
  microseconds,
  rowsOf,
  windowOf,
  type CreationWindow,
  type Position,
  type WindowRows,
} from './creation-window.js';

/**
 * A file in a store. It is a document in the store's folder or, before that, an entry of a batch. An entry belongs to
 * the owner of its batch.
 */
export interface StoreFileRow extends Position, Required<Owned> {
  readonly folderId: string;
  /** null if the file is waiting in a batch. */
  readonly documentId: string | null;
  /** Whether the file was attached through the files interface. */
  readonly isAttached: boolean;
  readonly filename: string | null;
  readonly status: DocumentStatus;
  readonly error: string | null;
  readonly errorKind: ErrorKind | null;
  readonly metadata: TypedMetadata['metadata'];
  /** Requested chunk sizes; null for the configured sizes. */
  readonly chunking: ChunkSizes | null;
  readonly createdAt: Date;
  readonly textLength: number;
  readonly chunkCount: number;
}

/** Selects store files. An absent member does not restrict the selection. */
export interface StoreFileSelection {
  readonly folderId?: string;
  readonly batchId?: string;
  readonly fileId?: string;
  readonly status?: DocumentStatus | null;
  /** Restricts the selection to documents. */
  readonly isDocument?: boolean;
}

export interface NewAttachment {
  readonly documentId: string;
  readonly fileId: string;
  readonly batchId: string | null;
  readonly chunking: ChunkSizes | null;
  /** Time of the attachment; for a file of a batch, the creation time of the batch. */
  readonly createdAt: Date | null;
}

export interface AttachedDocument {
  readonly documentId: string;
  readonly fileId: string;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reads and writes the files of vector stores, which are documents with an attachment. */
@Injectable()
export class StoreFileRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Lists store files in the order of their attachment. */
  async list(
    scope: Scope,
    selection: StoreFileSelection,
    window: CreationWindow,
    database: Queryable = this.dataSource,
  ): Promise<WindowRows<StoreFileRow>> {
    const found: StoreFileRow[] = [];
    for (const [index, shard] of shardsOf(scope).entries()) {
      const sources = [
        documents(shard, selection),
        ...(index === 0 && selection.isDocument !== true ? [waiting(shard, selection)] : []),
      ];
      found.push(...(await run<StoreFileRow>(database, windowOf(join(sources, ' union all '), window))));
    }
    return rowsOf(found, window);
  }

  /** Returns a store file. If several files match, returns the newest. */
  async find(
    scope: Scope,
    selection: StoreFileSelection,
    database: Queryable = this.dataSource,
  ): Promise<StoreFileRow | null> {
    const window = { limit: 1, order: 'desc', after: null, before: null } as const;
    const { rows } = await this.list(scope, selection, window, database);
    return rows[0] ?? null;
  }

  async attach(manager: Queryable, scope: Scope, attachment: NewAttachment): Promise<void> {
    const { documentId, fileId, batchId, chunking, createdAt } = attachment;
    await run(
      manager,
      sql`insert into file_attachments (app_id, document_id, file_id, batch_id, chunking, created_at)
          values (${shardOf(scope, documentId).appId}, ${documentId}::uuid, ${fileId}::uuid, ${batchId}::uuid,
            ${chunking === null ? null : printJson(chunking)}::jsonb,
            coalesce(${createdAt}::timestamptz, statement_timestamp()))`,
    );
  }

  async moveToBatch(manager: Queryable, scope: Scope, documentId: string, batchId: string): Promise<void> {
    await run(
      manager,
      sql`update file_attachments set batch_id = ${batchId}::uuid
          where app_id = ${shardOf(scope, documentId).appId} and document_id = ${documentId}::uuid`,
    );
  }

  /**
   * Locks the documents of a file in all stores, in the order of shards and ids, and returns their ids.
   * @throws Forbidden when the key may not change one of the documents.
   */
  async lockDocumentsOf(manager: Queryable, scope: Scope, fileId: string): Promise<string[]> {
    const ids: string[] = [];
    for (const { appId } of shardsOf(scope)) {
      const attached = await run<{ id: string }>(
        manager,
        sql`select document_id as id from file_attachments
            where app_id = ${appId} and file_id = ${fileId}::uuid`,
      );
      const rows = await run<Owned & { id: string }>(
        manager,
        sql`select d.external_id as id, d.owner, d.access, d.folder_access from documents d
            where d.app_id = ${appId} and d.external_id = any(${attached.map(({ id }) => id)}::uuid[])
            order by d.external_id for no key update of d`,
      );
      if (!rows.every((row) => may(scope, 'manage', row))) {
        throw new Forbidden('The file has documents in vector stores that this key may not change');
      }
      ids.push(...rows.map(({ id }) => id));
    }
    return ids;
  }

  /** Tells whether a document in a store was made of a file. Waits for deletions of such documents. */
  async isHeld(manager: Queryable, scope: Scope, fileId: string): Promise<boolean> {
    return (await this.lockAttachments(manager, scope, [fileId])).length > 0;
  }

  /**
   * Returns the deleted files that nothing refers to without the given documents. The bytes of a file belong to the file
   * and to its documents in all stores. The caller is about to delete the documents, and must have locked them.
   */
  async filesLeftBy(manager: Queryable, scope: Scope, documentIds: readonly string[]): Promise<string[]> {
    const attached = new Set<string>();
    for (const [{ appId }, ids] of byShard(scope, documentIds, (id) => id)) {
      const rows = await run<{ fileId: string }>(
        manager,
        sql`select distinct a.file_id as "fileId" from file_attachments a
            where a.app_id = ${appId} and a.document_id = any(${ids}::uuid[])`,
      );
      for (const { fileId } of rows) attached.add(fileId);
    }
    if (attached.size === 0) return [];
    const present = await run<{ id: string }>(
      manager,
      sql`select f.file_id as id from files f
          where f.app_id = ${tenantOf(scope.appId)} and f.file_id = any(${[...attached]}::uuid[])`,
    );
    for (const { id } of present) attached.delete(id);
    if (attached.size === 0) return [];
    const leaving = new Set(documentIds);
    for (const { documentId, fileId } of await this.lockAttachments(manager, scope, [...attached])) {
      if (!leaving.has(documentId)) attached.delete(fileId);
    }
    return [...attached];
  }

  private async lockAttachments(
    manager: Queryable,
    scope: Scope,
    fileIds: readonly string[],
  ): Promise<{ readonly documentId: string; readonly fileId: string }[]> {
    const found: { documentId: string; fileId: string }[] = [];
    for (const { appId } of shardsOf(scope)) {
      found.push(
        ...(await run<{ documentId: string; fileId: string }>(
          manager,
          sql`select a.document_id as "documentId", a.file_id as "fileId" from file_attachments a
              where a.app_id = ${appId} and a.file_id = any(${fileIds}::uuid[]) order by a.document_id for update`,
        )),
      );
    }
    return found;
  }

  async filesOf(scope: Scope, documentIds: readonly string[]): Promise<Map<string, AttachedDocument>> {
    const found: AttachedDocument[] = [];
    for (const { appId } of shardsOf(scope)) {
      const rows = await run<AttachedDocument>(
        this.dataSource,
        sql`select d.external_id as "documentId", coalesce(a.file_id, d.external_id) as "fileId", ${GIVEN_FILENAME} as filename,
              ${GIVEN_METADATA} as metadata
            from documents d
            left join file_attachments a on a.app_id = ${appId} and a.document_id = d.external_id
            where d.app_id = ${appId} and d.external_id = any(${documentIds}::uuid[])${andVisible(scope)}`,
      );
      found.push(...rows);
    }
    return new Map(found.map((file) => [file.documentId, file]));
  }
}

/** Selects store files that are documents, in one tenant shard. */
function documents(scope: Scope, { folderId, batchId, fileId, status }: StoreFileSelection): Sql {
  const { appId } = scope;
  const createdAt = sql`coalesce(a.created_at, d.created_at)`;
  const conditions = [
    sql`d.app_id = ${appId}`,
    ...visibility(scope),
    ...(folderId === undefined ? [] : [sql`d.folder_id = ${folderId}::uuid`]),
    ...(batchId === undefined ? [] : [sql`a.batch_id = ${batchId}::uuid`]),
    ...(fileId === undefined
      ? []
      : [
          // The first condition finds the few candidates with an index. The second condition excludes a document that
          // has this id but is the copy of another file.
          sql`d.external_id = any(array(select x.document_id from file_attachments x
                where x.app_id = ${appId} and x.file_id = ${fileId}::uuid) || ${fileId}::uuid)`,
          sql`coalesce(a.file_id, d.external_id) = ${fileId}::uuid`,
        ]),
    ...(status === undefined || status === null ? [] : [sql`${STATUS} = ${status}`]),
  ];
  return sql`select coalesce(a.file_id, d.external_id) as id, ${microseconds(createdAt)} as at,
      d.folder_id as "folderId", d.external_id as "documentId", a.document_id is not null as "isAttached", ${GIVEN_FILENAME} as filename,
      ${STATUS} as status, d.error, d.error_kind as "errorKind", ${GIVEN_METADATA} as metadata, a.chunking, d.owner, d.access, d.folder_access, ${createdAt} as "createdAt",
      d.text_length as "textLength", d.chunk_count as "chunkCount"
    from documents d left join file_attachments a on a.app_id = ${appId} and a.document_id = d.external_id
    where ${join(conditions, ' and ')}`;
}

/** Selects waiting and failed files of batches. Cancelled files are not selected. */
function waiting(scope: Scope, { folderId, batchId, fileId, status }: StoreFileSelection): Sql {
  const { appId } = scope;
  const conditions = [
    sql`e.app_id = ${appId}`,
    sql`(b.cancelled_at is null or e.error is not null)`,
    ...(folderId === undefined ? [] : [sql`e.folder_id = ${folderId}::uuid`, notAttached(appId)]),
    ...(batchId === undefined ? [] : [sql`e.batch_id = ${batchId}::uuid`]),
    ...(fileId === undefined ? [] : [sql`e.file_id = ${fileId}::uuid`]),
    ...(status === undefined || status === null ? [] : [sql`${ENTRY_STATUS} = ${status}`]),
  ];
  return sql`select e.file_id, ${microseconds(sql`e.created_at`)}, e.folder_id, null::uuid, true, null::text,
      ${ENTRY_STATUS}, e.error, case when e.error is not null then 'internal' end,
      coalesce(e.metadata, '{}'::jsonb), e.chunking, b.owner, null::jsonb, null::jsonb, e.created_at, 0, 0
    from file_batch_entries e join file_batches b on b.app_id = ${appId} and b.batch_id = e.batch_id
    where ${join(conditions, ' and ')}${andVisibleTo(scope, sql`b.readers`)}`;
}

/** Whether the file of the entry `e` is not attached to its store yet. */
export function notAttached(appId: string): Sql {
  return sql`not exists (
    select 1 from file_attachments x join documents y on y.app_id = ${appId} and y.external_id = x.document_id
    where x.app_id = ${appId} and x.file_id = e.file_id and y.folder_id = e.folder_id)`;
}

const ENTRY_STATUS = sql`case when e.error is null then 'processing' else 'failed' end`;
