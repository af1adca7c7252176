import { Inject, Injectable } from '@nestjs/common';
import { DocumentReader, titleOf } from '#reader';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository, type DocumentEnds } from '../chunks/chunk.repository.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { DocumentTextRepository } from '../corpus/document-text.repository.js';
import type { Queryable } from '../database/run.js';
import type { JobPayload } from './job.js';
import { JobQueue } from './job-queue.js';
import { progressAt } from './progress.js';
import { NOTHING_FOUND } from './rules/rule-runner.js';
import type { Draft } from './version.js';

/** Gives the chunks of a renamed document the new title. Text and chunks stay the same, but their contexts change. */
@Injectable()
export class Retitling {
  constructor(
    private readonly chunks: ChunkRepository,
    private readonly texts: DocumentTextRepository,
    private readonly documents: DocumentRepository,
    private readonly reader: DocumentReader,
    private readonly jobs: JobQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Enqueues the job that does it, in the transaction of the new name, if the document has chunks whose contexts must
   * change. If the first version is unfinished, its job uses the new name anyway.
   * @param row the document with its new name
   * @returns the row after that; call {@link JobQueue.notify} behind the transaction
   */
  async enqueue(manager: Queryable, scope: Scope, row: DocumentRow): Promise<DocumentRow> {
    const { external_id: id, status, chunk_count: chunks } = row;
    if (this.settings.CHUNK_CONTEXT === 'off' || status !== 'completed' || chunks === 0) return row;
    const payload = { source: { kind: 'chunks' }, update: null } as const;
    await this.jobs.enqueue(manager, scope, id, payload, row.text_length);
    return this.documents.queue(manager, scope, id, progressAt('queued', 0));
  }

  /** @param row current row of a document that has chunks */
  async draft(scope: Scope, row: DocumentRow): Promise<Draft> {
    const { external_id: id, filename } = row;
    const [ends, stored, texts] = await Promise.all([
      this.chunks.ends(scope, id),
      this.chunks.all(scope, id),
      this.texts.whole(scope, [id]),
    ]);
    const text = texts.get(id) ?? '';
    const title = ends === null ? null : titleOfRow(row, ends, filename);
    const sizes = (row.ingested_from as JobPayload | null)?.chunks;
    const pieces = await this.reader.retitled(
      text,
      stored.map((chunk, at) => ({
        start: chunk.start_offset,
        bodyStart: Math.max(chunk.start_offset, stored[at - 1]?.end_offset ?? 0),
        end: chunk.end_offset,
        pageNumber: chunk.page_number,
        tokens: 0,
        context: chunk.context,
        contentType: chunk.content_type,
      })),
      { title, ...(sizes && { chunks: sizes }) },
    );
    return {
      text,
      startOffset: 0,
      tail: text,
      tailOffset: 0,
      firstChunk: 0,
      pieces,
      chunkType: row.content_type,
      pageCount: row.page_count,
      scope,
      document: row,
      strategy: 'replace',
      explicitKeys: [],
      chunkMetadata: stored.map(({ metadata }) => metadata),
      contentType: row.content_type,
      properties: {},
      extracted: NOTHING_FOUND,
      ruled: {
        text: null,
        pieces: null,
        chunkMetadata: null,
        extracted: NOTHING_FOUND,
      },
      pages: null,
      keepsText: true,
    };
  }
}

/** Returns the title that a stored document has under the file name `filename`. */
export function titleOfRow(
  { additional_metadata: facts, page_count: pages, chunk_count: chunks }: DocumentRow,
  { first }: DocumentEnds,
  filename: string | null,
): string | null {
  return titleOf({
    own: facts['title'],
    // If the document has one chunk, this chunk is the whole text. Appended text would follow after a blank line.
    head: chunks === 1 ? `${first.content}\n\n` : first.content,
    contentType: first.content_type,
    hasPages: pages !== null,
    filename,
  });
}
