import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { NewChunk } from '../chunks/chunk.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { DocumentReader } from '../parsing/document-reader.js';
import type { ReadResult } from '../parsing/reader/messages.js';
import { ObjectStore } from '../storage/object-store.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import type { IngestionJob } from './job.js';
import { newChunks } from './new-chunks.js';
import { progressAt } from './progress.js';

/** A version of a document, ready to be swapped in. */
export interface PreparedVersion {
  readonly text: string;
  readonly contentType: string;
  readonly pageCount: number | null;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  readonly chunks: readonly NewChunk[];
}

/** The steps before anything is written: read the source, parse, split, embed. */
@Injectable()
export class Preparation {
  constructor(
    private readonly objects: ObjectStore,
    private readonly reader: DocumentReader,
    private readonly embedder: ChunkEmbedder,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * @throws ParseFailure when the source cannot be read as a document.
   * @throws ProviderFailed when the embedding model fails.
   */
  async prepare(
    scope: Scope,
    job: IngestionJob,
    row: DocumentRow,
    signal: AbortSignal,
  ): Promise<PreparedVersion> {
    const { document, pieces } = await this.read(job, row, signal);
    const report = (share: number): Promise<void> =>
      this.documents.setProgress(scope.appId, row.external_id, progressAt('embedding', share));
    if (pieces.length > 1) await report(0);
    const texts = pieces.map(({ start, end }) => document.text.slice(start, end));
    const vectors = await this.embedder.embed(scope, row.external_id, texts, {
      staged: true,
      signal,
      onProgress: (share) => (share < 1 ? report(share) : Promise.resolve()),
    });
    return {
      text: document.text,
      contentType: document.contentType,
      pageCount: document.pageCount,
      additionalMetadata: document.properties,
      chunks: newChunks(pieces, texts, vectors, {
        contentType: document.textType,
        firstChunk: 0,
        tailOffset: 0,
      }),
    };
  }

  private async read(job: IngestionJob, row: DocumentRow, signal: AbortSignal): Promise<ReadResult> {
    const { source } = job.payload;
    const bytes = await this.objects.getBytes(source.key);
    if (source.kind === 'text') {
      const text = bytes.toString('utf8');
      const pieces = await this.reader.split(
        text,
        { contentType: row.content_type },
        { signal, background: true },
      );
      return {
        document: {
          contentType: row.content_type,
          textType: 'text/plain',
          text,
          pages: [],
          pageCount: null,
          properties: {},
        },
        pieces,
      };
    }
    await this.documents.setProgress(job.appId, job.documentId, progressAt('parsing', 0));
    return this.reader.read(
      bytes,
      { filename: source.filename, declaredType: source.declaredType },
      { signal },
    );
  }
}
