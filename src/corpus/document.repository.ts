import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { empty, join, raw } from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { documentPredicate, type DocumentSelection } from '../filters/document-predicate.js';
import { printJson } from '../json/exact-json.js';
import type { DocumentRow, FinishedVersion, HistoryEntry, NewDocument, Progress } from './document-row.js';

const COLUMNS = raw('d.*');

export const SORT_KEYS = ['created_at', 'updated_at', 'filename', 'external_id'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** A window of a listing. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
  readonly sortBy: SortKey;
  readonly descending: boolean;
}

/** Every statement over document rows and their text. Reads take a scope, and see nothing outside it. */
@Injectable()
export class DocumentRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(
    scope: Scope,
    documentId: string,
    database: Queryable = this.dataSource,
  ): Promise<DocumentRow | null> {
    const [row] = await this.select(database, scope, { documentIds: [documentId] }, empty);
    return row ?? null;
  }

  /** The row, locked until the transaction of `manager` ends: updates of one document wait for each other here. */
  async lock(manager: Queryable, scope: Scope, documentId: string): Promise<DocumentRow | null> {
    const [row] = await this.select(manager, scope, { documentIds: [documentId] }, sql`for update of d`);
    return row ?? null;
  }

  async findNewestByFilename(
    scope: Scope,
    selection: DocumentSelection,
    filename: string,
  ): Promise<DocumentRow | null> {
    const [row] = await run<DocumentRow>(
      this.dataSource,
      sql`select ${COLUMNS} from documents d
          where ${documentPredicate(scope, selection)} and d.filename = ${filename}
          order by d.created_at desc, d.external_id limit 1`,
    );
    return row ?? null;
  }

  async list(scope: Scope, selection: DocumentSelection, page: Page): Promise<DocumentRow[]> {
    const direction = raw(page.descending ? 'desc' : 'asc');
    return this.select(
      this.dataSource,
      scope,
      selection,
      sql`order by d.${raw(page.sortBy)} ${direction}, d.external_id ${direction} limit ${page.limit} offset ${page.skip}`,
    );
  }

  async countBy(
    scope: Scope,
    selection: DocumentSelection,
    column: 'status' | 'folder_path',
  ): Promise<Map<string | null, number>> {
    const rows = await run<{ value: string | null; count: number }>(
      this.dataSource,
      sql`select d.${raw(column)} as value, count(*)::integer as count from documents d
          where ${documentPredicate(scope, selection)} group by 1 order by 1`,
    );
    return new Map(rows.map(({ value, count }) => [value, count]));
  }

  private select(
    database: Queryable,
    scope: Scope,
    selection: DocumentSelection,
    rest: ReturnType<typeof sql>,
  ): Promise<DocumentRow[]> {
    return run(
      database,
      sql`select ${COLUMNS} from documents d where ${documentPredicate(scope, selection)} ${rest}`,
    );
  }

  async insert(manager: Queryable, scope: Scope, document: NewDocument): Promise<DocumentRow> {
    const [row] = await run<DocumentRow>(
      manager,
      sql`insert into documents as d (app_id, external_id, status, content_type, filename, metadata, metadata_types,
            storage_files, folder_path, folder_id, end_user_id, use_colpali, progress)
          values (${scope.appId}, ${document.externalId}, 'processing', ${document.contentType}, ${document.filename},
            ${printJson(document.metadata)}::jsonb, ${printJson(document.metadataTypes)}::jsonb,
            ${printJson(document.storageFiles)}::jsonb, ${document.folder?.path ?? null}, ${document.folder?.id ?? null},
            ${document.endUserId}, ${document.useColpali}, ${printJson(document.progress)}::jsonb)
          returning ${COLUMNS}`,
    );
    if (row === undefined) throw new Error('the inserted document was not returned');
    return row;
  }

  /** Puts a finished version's text in place of what was there. */
  async replaceText(manager: Queryable, scope: Scope, documentId: string, text: string): Promise<void> {
    await run(
      manager,
      sql`delete from document_texts where app_id = ${scope.appId} and document_id = ${documentId}::uuid`,
    );
    for (let start = 0, part = 0; start < text.length || part === 0; start += PART_LENGTH, part += 1) {
      await this.insertPart(manager, scope, documentId, part, text.slice(start, start + PART_LENGTH), start);
    }
  }

  /** Appends to the text: one new row, whatever the length of what is there. */
  async appendText(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    text: string,
    startOffset: number,
  ): Promise<void> {
    const [row] = await run<{ part: number }>(
      manager,
      sql`select coalesce(max(part) + 1, 0)::integer as part from document_texts
          where app_id = ${scope.appId} and document_id = ${documentId}::uuid`,
    );
    await this.insertPart(manager, scope, documentId, row?.part ?? 0, text, startOffset);
  }

  private async insertPart(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    part: number,
    text: string,
    startOffset: number,
  ): Promise<void> {
    await run(
      manager,
      sql`insert into document_texts (app_id, document_id, part, content, start_offset)
          values (${scope.appId}, ${documentId}::uuid, ${part}, ${text}, ${startOffset})`,
    );
  }

  /** The texts of documents, by id. */
  async texts(scope: Scope, documentIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await run<{ document_id: string; content: string }>(
      this.dataSource,
      sql`select document_id, string_agg(content, '' order by part) as content from document_texts
          where app_id = ${scope.appId} and document_id = any(${documentIds}::uuid[]) group by document_id`,
    );
    return new Map(rows.map(({ document_id, content }) => [document_id, content]));
  }

  /** Marks the version that the transaction has just written as the one that answers. */
  async complete(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    version: FinishedVersion,
  ): Promise<void> {
    await run(
      manager,
      sql`update documents set status = 'completed', content_type = ${version.contentType},
            chunk_count = ${version.chunkCount}, text_length = ${version.textLength}, page_count = ${version.pageCount},
            additional_metadata = ${printJson(version.additionalMetadata)}::jsonb,
            embedding_model = ${version.embeddingModel}, progress = null, error = null, updated_at = clock_timestamp()
          where app_id = ${scope.appId} and external_id = ${documentId}::uuid`,
    );
  }

  /** Records an update: the next version, its history entry, and what changed, merged key by key. */
  async recordUpdate(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    update: RecordedUpdate,
  ): Promise<void> {
    const { entry } = update;
    await run(
      manager,
      sql`update documents set ${join(
        [
          sql`version = ${entry.version}`,
          sql`status = 'completed'`,
          sql`error = null`,
          sql`progress = null`,
          sql`chunk_count = ${update.chunkCount}`,
          sql`text_length = ${update.textLength}`,
          sql`page_count = ${update.pageCount}`,
          sql`filename = ${update.filename}`,
          sql`embedding_model = ${update.embeddingModel}`,
          sql`metadata = metadata || ${printJson(update.metadata)}::jsonb`,
          sql`metadata_types = metadata_types || ${printJson(update.metadataTypes)}::jsonb`,
          sql`update_history = update_history || ${printJson([entry])}::jsonb`,
          sql`updated_at = clock_timestamp()`,
        ],
        ', ',
      )} where app_id = ${scope.appId} and external_id = ${documentId}::uuid`,
    );
  }

  async setProgress(appId: string, documentId: string, progress: Progress): Promise<void> {
    await run(
      this.dataSource,
      sql`update documents set progress = ${printJson(progress)}::jsonb
          where app_id = ${appId} and external_id = ${documentId}::uuid and status = 'processing'`,
    );
  }

  async fail(manager: Queryable, appId: string, documentId: string, reason: string): Promise<void> {
    await run(
      manager,
      sql`update documents set status = 'failed', error = ${reason}, progress = null, updated_at = clock_timestamp()
          where app_id = ${appId} and external_id = ${documentId}::uuid and status = 'processing'`,
    );
  }

  /** Removes the row; text, jobs and staged vectors go with it. Chunks are removed before, by their own repository. */
  async delete(manager: Queryable, scope: Scope, documentId: string): Promise<void> {
    await run(
      manager,
      sql`delete from documents where app_id = ${scope.appId} and external_id = ${documentId}::uuid`,
    );
  }
}

export interface RecordedUpdate {
  readonly entry: HistoryEntry;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly chunkCount: number;
  readonly textLength: number;
  readonly pageCount: number | null;
  readonly embeddingModel: string;
}

/** UTF-16 units of one row of text. */
const PART_LENGTH = 4 * 1024 * 1024;
