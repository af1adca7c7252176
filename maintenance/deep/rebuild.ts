import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { type Scope, scopeOf } from '../../src/auth/scope.js';
import { DocumentRepository } from '../../src/corpus/document.repository.js';
import type { DocumentRow } from '../../src/corpus/document-row.js';
import { run } from '../../src/database/run.js';
import type { JobPayload, Source } from '../../src/ingestion/job.js';
import { JobQueue } from '../../src/ingestion/job-queue.js';
import { progressAt } from '../../src/ingestion/progress.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { keepRows } from './replaced-rows.js';
import { sumOf } from './sums.js';
import { chunksOf, partsOf } from './text-rows.js';
import { isIntact, provenText, type ProvenText, type TextChunk, type TextPart } from './whole-text.js';

/** A job that ingests a document from its stored text. */
const STORED_TEXT: JobPayload = { source: { kind: 'posted' }, update: null };

function doctorOf(appId: string): Scope {
  return scopeOf(appId, ['admin'], 'lectern doctor');
}

/** Queues damaged documents to be ingested again from their source or, if they have none, from the stored text. */
export class Rebuild {
  private readonly documents: DocumentRepository;
  private readonly jobs: JobQueue;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: ObjectStore,
  ) {
    this.documents = new DocumentRepository(dataSource);
    this.jobs = new JobQueue(dataSource);
  }

  /**
   * Queues the documents from what is proven: the file if it has its recorded checksum, otherwise the text that parts and
   * chunks prove, which is stored first. Skips documents that have a job, and documents of which neither is left. Keeps
   * the rows that it replaces. Clears the hashes of the chunks, because the worker would reuse the vectors of chunks with
   * a known hash.
   */
  async queue(appId: string, ids: readonly string[]): Promise<void> {
    const scope = doctorOf(appId);
    for (const id of ids) {
      await this.dataSource.transaction(async (manager) => {
        const row = await this.documents.lock(manager, scope, id);
        if (row === null || (await this.hasJobs(manager, appId, id))) return;
        const proven = await this.textOf(manager, appId, row);
        const payload = await this.payloadOf(row, proven);
        if (payload === null) return;
        await keepRows(manager, appId, 'document_texts', id);
        await keepRows(manager, appId, 'chunks', id);
        if ('text' in proven && !proven.isStored) await this.storeText(manager, appId, id, proven.text);
        await run(
          manager,
          sql`update chunks set content_hash = '' where app_id = ${appId} and document_id = ${id}::uuid`,
        );
        await this.jobs.enqueue(manager, scope, id, payload, row.text_length);
        await this.documents.queue(manager, scope, id, progressAt('queued', 0));
      });
    }
  }

  /**
   * Stores the texts that parts and chunks prove, without ingesting documents whose chunks are intact. Documents with
   * damaged chunks are queued.
   */
  async restoreTexts(appId: string, ids: readonly string[]): Promise<void> {
    const scope = doctorOf(appId);
    const others: string[] = [];
    for (const id of ids) {
      await this.dataSource.transaction(async (manager) => {
        const row = await this.documents.lock(manager, scope, id);
        if (row === null || (await this.hasJobs(manager, appId, id))) return;
        const proven = await this.textOf(manager, appId, row);
        if ('lost' in proven || !proven.hasAllChunks) return void others.push(id);
        await keepRows(manager, appId, 'document_texts', id);
        await this.storeText(manager, appId, id, proven.text);
      });
    }
    await this.queue(appId, others);
  }

  /** Returns what is lost of a document for good, as a sentence without a full stop; null: a repair restores it. */
  async lossOf(manager: EntityManager, appId: string, id: string): Promise<string | null> {
    const row = await this.documents.find(doctorOf(appId), id);
    if (row === null) return null;
    const proven = await this.textOf(manager, appId, row);
    if ('text' in proven || (await this.payloadOf(row, proven)) !== null) return null;
    const file =
      row.storage_files.length > 0 ? '; its file is missing, or has no recorded checksum or another one' : '';
    return `${proven.lost}${file}`;
  }

  /** Returns the text of a document as far as its rows prove it. */
  async textOf(
    manager: EntityManager,
    appId: string,
    { external_id: id, text_length: length, chunk_count: count, status }: DocumentRow,
  ): Promise<ProvenText & { readonly hasAllChunks: boolean }> {
    const parts: TextPart[] = [];
    for await (const part of partsOf(manager, appId, [id])) parts.push(part);
    const chunks: TextChunk[] = [];
    for await (const chunk of chunksOf(manager, appId, [id])) chunks.push(chunk);
    if (status === 'processing' && chunks.length === 0 && parts.length > 0) {
      // The first version of a posted text: its row gets the length with the chunks.
      return { text: parts.map(({ content }) => content).join(''), isStored: true, hasAllChunks: false };
    }
    const proven: ProvenText =
      parts.length === 0 && chunks.length === 0
        ? { lost: 'neither a text nor chunks are left', isNothingLeft: true }
        : provenText(parts, chunks, { length, chunks: count });
    return { ...proven, hasAllChunks: chunks.length === count && chunks.every(isIntact) };
  }

  private async storeText(manager: EntityManager, appId: string, id: string, text: string): Promise<void> {
    await run(manager, sql`delete from document_texts where app_id = ${appId} and document_id = ${id}::uuid`);
    let start = 0;
    for (const [part, content] of inParts(text).entries()) {
      await run(
        manager,
        sql`insert into document_texts (app_id, document_id, part, content, start_offset)
            values (${appId}, ${id}::uuid, ${part}, ${content}, ${start})`,
      );
      start += content.length;
    }
    await run(
      manager,
      sql`update documents set text_length = ${text.length} where app_id = ${appId} and external_id = ${id}::uuid`,
    );
  }

  /** Queues a document, or marks it as failed if nothing is left to ingest. */
  async queueOrFail(appId: string, ids: readonly string[]): Promise<void> {
    await this.queue(appId, ids);
    const scope = doctorOf(appId);
    for (const id of ids) {
      await this.dataSource.transaction(async (manager) => {
        const row = await this.documents.lock(manager, scope, id);
        if (row === null || (await this.jobs.pending(manager, scope, [id])).size > 0) return;
        const reason = 'The job and the source of this document were lost: ingest it again';
        await this.documents.fail(manager, scope, id, { reason, kind: 'internal', contentType: null }, null);
      });
    }
  }

  /**
   * Whether the document has jobs. Dead letters count, because a new version would delete a dead letter together with
   * its file.
   */
  private async hasJobs(manager: EntityManager, appId: string, id: string): Promise<boolean> {
    const jobs = await run(
      manager,
      sql`select 1 from ingestion_jobs where app_id = ${appId} and document_id = ${id}::uuid limit 1`,
    );
    return jobs.length > 0;
  }

  /**
   * Returns the job that ingests the document again.
   * @returns null if neither the file nor the text is proven
   */
  private async payloadOf(row: DocumentRow, text: ProvenText): Promise<JobPayload | null> {
    const hasText = 'text' in text;
    const given = row.ingested_from as JobPayload | null;
    const file = given === null ? 'missing' : await this.fileOf(given.source, row);
    // A file from before checksums has the right size only. It may replace a whole text, which is kept, or nothing.
    const isLast = 'lost' in text && text.isNothingLeft === true;
    if (given !== null && (file === 'proven' || (file === 'unproven' && (hasText || isLast)))) return given;
    if (!hasText) return null;
    return given?.source.kind === 'posted' ? given : STORED_TEXT;
  }

  private async fileOf(source: Source, row: DocumentRow): Promise<'proven' | 'unproven' | 'missing'> {
    if (source.kind !== 'file' && source.kind !== 'text') return 'missing';
    const found = await this.store.size(source.key);
    const recorded = row.storage_files.find(({ key }) => key === source.key);
    if (found === undefined || (recorded !== undefined && recorded.size !== found)) return 'missing';
    if (recorded?.sha256 === undefined) return 'unproven';
    return (await sumOf(this.store, source.key)) === recorded.sha256 ? 'proven' : 'missing';
  }
}

/** Largest part of a stored text, in UTF-16 code units. */
const PART = 1_000_000;

/** Divides a text into parts, never within a surrogate pair. */
function inParts(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length;) {
    const isPairCut = /[\ud800-\udbff]/.test(text.charAt(start + PART - 1));
    const end = start + PART - (isPairCut ? 1 : 0);
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}
