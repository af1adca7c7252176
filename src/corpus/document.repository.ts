import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { validate as isUuid } from 'uuid';
import { type AccessLists, effectiveLists } from '../access/access-lists.js';
import { type Action, requireMay } from '../access/may.js';
import { everyoneReads } from '../access/visible-to.js';
import { type Scope, shardOf, shardsOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { documentPredicate, type DocumentSelection } from '../filters/document-predicate.js';
import { printJson } from '../json/exact-json.js';
import { composed } from '../json/spelling.js';
import { DocumentEntity, type DocumentKey, type Rendition } from './document.entity.js';
import {
  EVENT_COLUMNS,
  type DocumentEventType,
  type EventSubject,
  recordDeletions,
  recordEvents,
} from './document-events.js';
import {
  DOCUMENT_COLUMNS,
  type DocumentRow,
  type HistoryEntry,
  type IngestionFailure,
  type MetadataChange,
  type NewDocument,
  type Progress,
  type VersionChange,
} from './document-row.js';
import { speltMetadata, speltName } from './document-spelling.js';

/** A change of the name, the end user and the access lists of a document. */
interface NameAndAccess {
  readonly filename: string | null;
  /** null if the document belongs to the tenant. */
  readonly endUserId: string | null;
  /** null: the lists of the folder count. */
  readonly access: AccessLists | null;
  readonly version: number;
  readonly history: readonly HistoryEntry[];
}

/** Key of the advisory locks on sources of documents: "same" as a number. */
const SOURCE_LOCK = 0x73616d65;

/** Public status of a document. */
export const STATUS = raw(`case when d.progress is null then d.status else 'processing' end`);

/** Reads and writes document rows. Reads are restricted to a scope. */
@Injectable()
export class DocumentRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(scope: Scope, documentId: string): Promise<DocumentRow | null> {
    const [row = null] = (await this.listById(shardOf(scope, documentId), [documentId])).values();
    return row;
  }

  /**
   * Returns the ids of documents that the caller may read, and of uploaded files of such documents. One statement for
   * each shard, however many ids there are.
   */
  async readable(scope: Scope, ids: readonly string[]): Promise<Set<string>> {
    const valid = ids.filter((id) => isUuid(id));
    const found = await Promise.all(
      shardsOf(scope).map((shard) =>
        run<{ id: string }>(
          this.dataSource,
          sql`select d.external_id as id from documents d
              where ${documentPredicate(shard, { documentIds: valid })}
              union
              select a.file_id from file_attachments a
              join documents d on d.external_id = a.document_id and ${documentPredicate(shard, {})}
              where a.app_id = ${shard.appId} and a.file_id = any(${valid}::uuid[])`,
        ),
      ),
    );
    return new Set(found.flat().map(({ id }) => id));
  }

  /**
   * Locks a row until the transaction of `manager` ends, and returns the row. The lock serialises updates of a
   * document. Its mode permits concurrent staging of chunks. Every change of an existing document calls this method or
   * `lockAll`.
   * @throws Forbidden when the key may not change the document.
   */
  async lock(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    action: Action = 'write',
  ): Promise<DocumentRow | null> {
    const [row = null] = (
      await this.lockAll(manager, shardOf(scope, documentId), [documentId], action)
    ).values();
    return row;
  }

  /**
   * Locks rows like `lock`, and returns them by id. Locks several rows with NOWAIT: a folder move locks documents in no
   * fixed order, so waiting for a lock could cause a deadlock.
   * @throws Forbidden when the key may not change one of the documents.
   */
  async lockAll(
    manager: Queryable,
    scope: Scope,
    documentIds: readonly string[],
    action: Action = 'write',
  ): Promise<Map<string, DocumentRow>> {
    const rows = await run<DocumentRow>(
      manager,
      sql`select ${DOCUMENT_COLUMNS} from documents d where ${documentPredicate(scope, { documentIds })}
          for no key update ${documentIds.length > 1 ? raw('nowait') : empty}`,
    );
    for (const row of rows) requireMay(scope, action, row);
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  async findNewestByFilename(
    scope: Scope,
    selection: DocumentSelection,
    filename: string,
  ): Promise<DocumentRow | null> {
    const [row] = await run<DocumentRow>(
      this.dataSource,
      sql`select ${DOCUMENT_COLUMNS} from documents d
          where ${documentPredicate(scope, selection)} and d.filename = ${composed(filename)}
          order by d.created_at desc, d.external_id limit 1`,
    );
    return row ?? null;
  }

  /** Lets only one transaction at a time look for a source and add a document of it. */
  async lockSource(manager: Queryable, { appId }: Scope, sum: string): Promise<void> {
    await run(manager, sql`select pg_advisory_xact_lock(${SOURCE_LOCK}, hashtext(${appId + sum}))`);
  }

  /**
   * Returns the oldest usable document that was made of the bytes with this SHA-256, directly in the folder, and shared
   * or of the same end user.
   */
  async findBySource(
    manager: Queryable,
    scope: Scope,
    sum: string,
    { folder, endUserId }: { readonly folder: string | null; readonly endUserId: string | null },
  ): Promise<DocumentRow | null> {
    const path = folder === null ? null : composed(folder);
    const found: DocumentRow[] = [];
    for (const shard of shardsOf(scope)) {
      found.push(
        ...(await run<DocumentRow>(
          manager,
          sql`select ${DOCUMENT_COLUMNS} from documents d
              where ${documentPredicate(shard, {})} and d.source_sha256 = ${sum}
                and d.folder_path is not distinct from ${path}
                and (d.end_user_id is null or d.end_user_id = ${endUserId}) and d.status <> 'failed'
              order by d.created_at, d.external_id limit 1`,
        )),
      );
    }
    const [first = null] = found.sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
    return first;
  }

  /** Returns the selected documents with the given ids, by id. */
  async listById(
    scope: Scope,
    documentIds: readonly string[],
    within: DocumentSelection = {},
  ): Promise<Map<string, DocumentRow>> {
    const rows = await run<DocumentRow>(
      this.dataSource,
      sql`select ${DOCUMENT_COLUMNS} from documents d where ${documentPredicate(scope, { ...within, documentIds })}`,
    );
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  /** Counts the selected documents whose first version is being processed. */
  async countProcessing(scope: Scope, selection: DocumentSelection): Promise<number> {
    // The first condition on the status makes the planner use the partial index; it cannot derive this condition from
    // the second one.
    const [row] = await run<{ count: number }>(
      this.dataSource,
      sql`select count(*)::integer as count from documents d
          where ${documentPredicate(scope, selection)} and d.status <> 'completed' and d.status = 'processing'`,
    );
    return row?.count ?? 0;
  }

  async insert(manager: Queryable, scope: Scope, document: NewDocument): Promise<DocumentRow> {
    const { filename, givenFilename } = speltName(document.filename);
    const { metadata, givenMetadata } = speltMetadata(document.metadata);
    const [row] = await run<DocumentRow>(
      manager,
      sql`insert into documents as d (app_id, external_id, status, content_type, filename, given_filename, metadata,
            given_metadata, metadata_types, storage_files, source_sha256, folder_path, folder_id, end_user_id, access, folder_access,
            use_colpali, progress)
          values (${shardOf(scope, document.externalId).appId}, ${document.externalId}, 'processing', ${document.contentType}, ${filename}, ${givenFilename},
            ${printJson(metadata)}::jsonb, ${printJson(givenMetadata)}::jsonb, ${printJson(document.metadataTypes)}::jsonb,
            ${printJson(document.storageFiles)}::jsonb, ${document.sourceSum}, ${document.folder?.path ?? null}, ${document.folder?.id ?? null},
            ${document.endUserId}, ${jsonOrNull(document.access)}::jsonb,
            ${jsonOrNull(document.folder === null ? null : effectiveLists(document.folder))}::jsonb,
            ${document.useColpali}, ${printJson(document.progress)}::jsonb)
          returning ${DOCUMENT_COLUMNS}`,
    );
    if (row === undefined) throw new Error('the inserted document was not returned');
    await recordEvents(manager, row.app_id, 'document.created', [row]);
    return row;
  }

  /**
   * Makes the versions that the transaction writes visible.
   * @param progressOf returns the progress of the next job of a document; null if it has no further job
   * @returns the new rows by id
   */
  async writeVersions(
    manager: Queryable,
    scope: Scope,
    versions: readonly VersionChange[],
    embeddingModel: string,
    progressOf: (documentId: string) => Progress | null,
  ): Promise<Map<string, DocumentRow>> {
    const changes = versions.map(({ entry, ...version }) => ({
      ...version,
      ...speltName(version.filename),
      ...speltMetadata(version.metadata),
      metadataKeys: Object.keys(version.metadata),
      history: entry === undefined ? [] : [entry],
      progress: progressOf(version.documentId),
    }));
    const rows = await run<DocumentRow>(
      manager,
      sql`update documents d set status = 'completed', error = null, error_kind = null, updated_at = statement_timestamp(),
            version = v.version, text_version = v."textVersion", filename = v.filename, given_filename = v."givenFilename", content_type = v."contentType",
            metadata = d.metadata || v.metadata,
            given_metadata = (d.given_metadata - v."metadataKeys") || v."givenMetadata", metadata_types = d.metadata_types || v."metadataTypes",
            additional_metadata = v."additionalMetadata", update_history = d.update_history || v.history,
            in_shared_statistics = case when d.chunk_count = 0 then ${everyoneReads(sql`d.readers`)} else d.in_shared_statistics end,
            chunk_count = v."chunkCount", text_length = v."textLength", page_count = v."pageCount",
            live_revisions = v."liveRevisions", page_revisions = v."pageRevisions",
            embedding_model = ${embeddingModel}, use_colpali = v."useColpali",
            source_sha256 = v."sourceSum",
            storage_files = d.storage_files || v."storageFiles", ingested_from = v."ingestedFrom", progress = v.progress
          from jsonb_to_recordset(${printJson(changes)}::jsonb) as v("documentId" uuid, version integer, "textVersion" integer,
            filename text, "givenFilename" text, "contentType" text, metadata jsonb, "metadataKeys" text[],
            "givenMetadata" jsonb, "metadataTypes" jsonb, "additionalMetadata" jsonb,
            history jsonb, "chunkCount" integer, "textLength" integer, "pageCount" integer, "liveRevisions" bigint[],
            "pageRevisions" bigint[], "useColpali" boolean, "storageFiles" jsonb, "sourceSum" text,
            "ingestedFrom" jsonb, progress jsonb)
          where d.app_id = ${scope.appId} and d.external_id = v."documentId"
          returning ${DOCUMENT_COLUMNS}`,
    );
    await recordEvents(manager, scope.appId, 'document.completed', rows);
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  /** Merges metadata into the current metadata, by top-level key. */
  async mergeMetadata(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    change: MetadataChange,
  ): Promise<DocumentRow> {
    return this.update(manager, scope, documentId, metadataAssignments(change));
  }

  async replaceMetadata(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    { version, metadata: given, metadataTypes, entry }: MetadataChange,
  ): Promise<DocumentRow> {
    const { metadata, givenMetadata } = speltMetadata(given);
    return this.update(manager, scope, documentId, [
      sql`version = ${version}`,
      sql`metadata = ${printJson(metadata)}::jsonb`,
      sql`given_metadata = ${printJson(givenMetadata)}::jsonb`,
      sql`metadata_types = ${printJson(metadataTypes)}::jsonb`,
      sql`update_history = update_history || ${printJson(entry === undefined ? [] : [entry])}::jsonb`,
      sql`updated_at = statement_timestamp()`,
    ]);
  }

  async setNameAndAccess(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    { filename: given, endUserId, access, version, history }: NameAndAccess,
  ): Promise<DocumentRow> {
    const { filename, givenFilename } = speltName(given);
    return this.update(manager, scope, documentId, [
      sql`filename = ${filename}`,
      sql`given_filename = ${givenFilename}`,
      sql`end_user_id = ${endUserId}`,
      sql`access = ${jsonOrNull(access)}::jsonb`,
      sql`version = ${version}`,
      sql`update_history = update_history || ${printJson(history)}::jsonb`,
      sql`updated_at = statement_timestamp()`,
    ]);
  }

  /**
   * Records a queued job. A failed document becomes `processing`. A completed document stays searchable.
   * @param useColpali null leaves the setting unchanged
   */
  async queue(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    progress: Progress,
    useColpali: boolean | null = null,
  ): Promise<DocumentRow> {
    const assignments = [
      ...(useColpali === null ? [] : [sql`use_colpali = ${useColpali}`]),
      sql`status = case when status = 'failed' then 'processing' else status end`,
      sql`error = null`,
      sql`error_kind = null`,
      sql`progress = ${printJson(progress)}::jsonb`,
      sql`updated_at = statement_timestamp()`,
      // A file that could not be converted may be tried again.
      sql`storage_files = (
        select coalesce(jsonb_agg(case when f #> '{rendition,error}' is null then f else f - 'rendition' end order by place), '[]')
        from jsonb_array_elements(storage_files) with ordinality as e(f, place))`,
    ];
    return this.update(manager, scope, documentId, assignments, 'document.progress');
  }

  private async update(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    assignments: readonly Sql[],
    event: DocumentEventType = 'document.updated',
  ): Promise<DocumentRow> {
    const [row] = await run<DocumentRow>(
      manager,
      sql`update documents d set ${join([...assignments], ', ')}
          where d.app_id = ${shardOf(scope, documentId).appId} and d.external_id = ${documentId}::uuid
          returning ${DOCUMENT_COLUMNS}`,
    );
    if (row === undefined) throw new Error('a locked document is missing');
    await recordEvents(manager, row.app_id, event, [row]);
    return row;
  }

  async setProgress(scope: Scope, documentId: string, progress: Progress): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const rows = await run<EventSubject>(
        manager,
        sql`update documents d set progress = ${printJson(progress)}::jsonb
            where d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid and d.progress is not null
            returning ${EVENT_COLUMNS}`,
      );
      await recordEvents(manager, scope.appId, 'document.progress', rows);
    });
  }

  /**
   * Records what became of the conversion of a stored file.
   * @returns false if the document does not have the file, for example because it was deleted
   */
  async setRendition(
    manager: Queryable,
    { appId, documentId }: DocumentKey,
    fileKey: string,
    rendition: Rendition,
  ): Promise<boolean> {
    const rows = await run(
      manager,
      sql`update documents set storage_files = (
            select jsonb_agg(case when f ->> 'key' = ${fileKey}
              then f || jsonb_build_object('rendition', ${printJson(rendition)}::jsonb) else f end order by place)
            from jsonb_array_elements(storage_files) with ordinality as e(f, place))
          where app_id = ${appId} and external_id = ${documentId}::uuid
            and storage_files @> jsonb_build_array(jsonb_build_object('key', ${fileKey}::text))
          returning external_id`,
    );
    return rows.length > 0;
  }

  /**
   * Records a failed job. A document without a finished version becomes `failed`; otherwise the last version stays
   * visible.
   * @param progress progress of the next job; null if there is no further job
   */
  async fail(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    { reason, kind, contentType }: IngestionFailure,
    progress: Progress | null,
  ): Promise<void> {
    const rows = await run<EventSubject>(
      manager,
      sql`update documents d set status = case when d.status = 'processing' then 'failed' else d.status end,
            content_type = case when d.status = 'processing' then coalesce(${contentType}::text, d.content_type) else d.content_type end,
            error = ${reason}, error_kind = ${kind}, progress = ${jsonOrNull(progress)}::jsonb, updated_at = statement_timestamp()
          where d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid
          returning ${EVENT_COLUMNS}`,
    );
    await recordEvents(manager, scope.appId, 'document.failed', rows);
  }

  /** Returns the ids of the documents that have stored files or page images. */
  async listWithFiles(manager: Queryable, { appId }: Scope, ids: readonly string[]): Promise<string[]> {
    const rows = await run<{ id: string }>(
      manager,
      sql`select d.external_id as id from documents d
          where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[])
            and (d.storage_files <> '[]' or d.use_colpali or d.page_revisions <> '{}')`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes documents with their texts, jobs and pages. The caller must delete their chunks first, with the chunk
   * repository.
   */
  async delete(manager: EntityManager, { appId }: Scope, documentIds: readonly string[]): Promise<void> {
    await recordDeletions(manager, appId, documentIds);
    await manager.delete(DocumentEntity, { app_id: appId, external_id: In(documentIds) });
  }
}

function metadataAssignments(change: MetadataChange): Sql[] {
  const history = change.entry === undefined ? [] : [change.entry];
  const { metadata, givenMetadata } = speltMetadata(change.metadata);
  return [
    sql`version = ${change.version}`,
    sql`metadata = metadata || ${printJson(metadata)}::jsonb`,
    sql`given_metadata = (given_metadata - ${Object.keys(metadata)}::text[]) || ${printJson(givenMetadata)}::jsonb`,
    sql`metadata_types = metadata_types || ${printJson(change.metadataTypes)}::jsonb`,
    sql`update_history = update_history || ${printJson(history)}::jsonb`,
    sql`updated_at = statement_timestamp()`,
  ];
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : printJson(value);
}
