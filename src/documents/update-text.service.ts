import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import type { NewChunk } from '../chunks/chunk.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Queryable } from '../database/run.js';
import { Conflict } from '../errors/index.js';
import { typeMetadata } from '../filters/metadata-types.js';
import { ChunkEmbedder } from '../ingestion/chunk-embedder.js';
import { newChunks } from '../ingestion/new-chunks.js';
import { DocumentReader } from '../parsing/document-reader.js';
import { recordOf } from './document-record.js';
import { documentNotFound, DocumentService } from './document.service.js';
import { OneAtATime } from './one-at-a-time.js';

export const UPDATE_STRATEGIES = ['add', 'replace'] as const;
export type UpdateStrategy = (typeof UPDATE_STRATEGIES)[number];

export interface TextUpdate {
  readonly strategy: UpdateStrategy;
  /** Not blank. */
  readonly content: string;
  /** null keeps the name. */
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
}

/** What the update writes: computed before the transaction, on the version it was computed from. */
interface PreparedUpdate {
  readonly basedOn: number;
  /** The text to append, or the whole text. */
  readonly text: string;
  readonly startOffset: number;
  readonly firstChunk: number;
  readonly chunks: readonly NewChunk[];
}

/** Between an appended text and what is there: a blank line. */
const SEPARATOR = '\n\n';

/**
 * Updates a document's text. Embeddings are computed first; text, chunks, vectors, metadata and version then change in
 * one transaction, so that readers see the old version or the new one. An `add` splits and embeds the tail only.
 */
@Injectable()
export class UpdateTextService {
  private readonly turns = new OneAtATime();

  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkRepository,
    private readonly reader: DocumentReader,
    private readonly embedder: ChunkEmbedder,
  ) {}

  /**
   * @param alongside writes that belong to the same transaction; it gets the new row.
   * @throws NotFound for an unknown or foreign id, Conflict while the first version is being processed, Invalid for
   *   metadata that does not fit its type, ProviderFailed when the embedding model fails. The old version stays whole.
   */
  async updateText(
    scope: Scope,
    documentId: string,
    update: TextUpdate,
    alongside: (manager: Queryable, row: DocumentRow) => Promise<void> = () => Promise.resolve(),
  ): Promise<DocumentRow> {
    return this.turns.run(`${scope.appId}/${documentId}`, async () => {
      for (;;) {
        const row = await this.service.get(scope, documentId);
        if (row.status === 'processing')
          throw new Conflict('The document is still being processed; try again later');
        const prepared = await this.prepare(scope, row, update);
        const written = await this.write(scope, row, prepared, update, alongside);
        if (written !== null) return written;
        // Another process updated the document meanwhile: the tail is not what it was, begin again.
      }
    });
  }

  private async prepare(scope: Scope, row: DocumentRow, update: TextUpdate): Promise<PreparedUpdate> {
    const documentId = row.external_id;
    const appends = update.strategy === 'add' && row.text_length > 0;
    const last = appends ? await this.chunks.last(scope, documentId) : null;
    // A chunk that stands on a page keeps to that page: appended text has none.
    const reopened = last !== null && last.pageNumber === null ? last : null;
    const text = appends ? SEPARATOR + update.content : update.content;
    const tail = (reopened?.content ?? '') + text;
    const tailOffset = reopened?.startOffset ?? (appends ? row.text_length : 0);
    const firstChunk = reopened?.chunkNumber ?? (last === null ? 0 : last.chunkNumber + 1);
    const contentType = last?.contentType ?? 'text/plain';
    const pieces = await this.reader.split(tail, { contentType, lead: reopened?.overlap ?? 0 });
    const texts = pieces.map(({ start, end }) => tail.slice(start, end));
    const vectors = await this.embedder.embed(scope, documentId, texts, { staged: false });
    return {
      basedOn: row.version,
      text,
      startOffset: appends ? row.text_length : 0,
      firstChunk,
      chunks: newChunks(pieces, texts, vectors, { contentType, firstChunk, tailOffset }),
    };
  }

  private async write(
    scope: Scope,
    row: DocumentRow,
    prepared: PreparedUpdate,
    update: TextUpdate,
    alongside: (manager: Queryable, row: DocumentRow) => Promise<void>,
  ): Promise<DocumentRow | null> {
    const documentId = row.external_id;
    const typed = typeMetadata({
      metadata: update.metadata,
      declared: update.metadataTypes ?? {},
      previousTypes: row.metadata_types,
      reserved: recordOf(row).metadata,
      loc: ['body', 'metadata'],
      typesLoc: ['body', 'metadata_types'],
    });
    return this.dataSource.transaction(async (manager) => {
      const current = await this.documents.lock(manager, scope, documentId);
      if (current === null) throw documentNotFound();
      if (current.version !== prepared.basedOn || current.status !== row.status) return null;
      if (prepared.startOffset === 0) {
        await this.documents.replaceText(manager, scope, documentId, prepared.text);
      } else {
        await this.documents.appendText(manager, scope, documentId, prepared.text, prepared.startOffset);
      }
      await this.documents.recordUpdate(manager, scope, documentId, {
        entry: {
          version: current.version + 1,
          timestamp: new Date().toISOString(),
          strategy: update.strategy,
          ...(update.filename === null ? {} : { filename: update.filename }),
          metadata_updated: Object.keys(typed.metadata).length > 0,
        },
        filename: update.filename ?? current.filename,
        metadata: typed.metadata,
        metadataTypes: typed.metadataTypes,
        chunkCount: prepared.firstChunk + prepared.chunks.length,
        textLength: prepared.startOffset + prepared.text.length,
        pageCount: update.strategy === 'replace' ? null : current.page_count,
        embeddingModel: this.embedder.model,
      });
      const updated = await this.documents.find(scope, documentId, manager);
      if (updated === null) throw new Error('an updated document is missing from its own transaction');
      await alongside(manager, updated);
      await this.chunks.replace(manager, scope.appId, documentId, prepared.firstChunk, prepared.chunks);
      return updated;
    });
  }
}
