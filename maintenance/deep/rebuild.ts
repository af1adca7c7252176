import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { scopeOf, type Scope } from '../../src/auth/scope.js';
import { DocumentRepository } from '../../src/corpus/document.repository.js';
import type { DocumentRow } from '../../src/corpus/document-row.js';
import { run } from '../../src/database/run.js';
import type { JobPayload, Source } from '../../src/ingestion/job.js';
import { JobQueue } from '../../src/ingestion/job-queue.js';
import { progressAt } from '../../src/ingestion/progress.js';
import type { ObjectStore } from '../../src/storage/object-store.js';

/** A job that ingests a document from its stored text. */
const STORED_TEXT: JobPayload = { source: { kind: 'posted' }, update: null };

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
   * Queues the documents. Skips documents that have a job, and documents without a source. Clears the hashes of the
   * chunks, because the worker would reuse the vectors of chunks with a known hash.
   */
  async queue(appId: string, ids: readonly string[]): Promise<void> {
    const scope = scopeOf(appId, ['admin'], 'lectern doctor');
    for (const id of ids) {
      await this.dataSource.transaction(async (manager) => {
        const row = await this.documents.lock(manager, scope, id);
        if (row === null || (await this.hasJobs(manager, appId, id))) return;
        const payload = await this.payloadOf(manager, scope, row);
        if (payload === null) return;
        await run(
          manager,
          sql`update chunks set content_hash = '' where app_id = ${appId} and document_id = ${id}::uuid`,
        );
        await this.jobs.enqueue(manager, scope, id, payload, row.text_length);
        await this.documents.queue(manager, scope, id, progressAt('queued', 0));
      });
    }
  }

  /** Queues a document, or marks it as failed if nothing is left to ingest. */
  async queueOrFail(appId: string, ids: readonly string[]): Promise<void> {
    await this.queue(appId, ids);
    const scope = scopeOf(appId, ['admin'], 'lectern doctor');
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

  /** Returns the job that ingests the document again. @returns null if the document has neither a source nor a text. */
  private async payloadOf(
    manager: EntityManager,
    { appId }: Scope,
    row: DocumentRow,
  ): Promise<JobPayload | null> {
    const given = row.ingested_from as JobPayload | null;
    if (given !== null && (await this.hasFile(given.source))) return given;
    const parts = await run(
      manager,
      sql`select 1 from document_texts where app_id = ${appId} and document_id = ${row.external_id}::uuid limit 1`,
    );
    if (parts.length === 0) return null;
    return given?.source.kind === 'posted' ? given : STORED_TEXT;
  }

  private async hasFile(source: Source): Promise<boolean> {
    return (source.kind === 'file' || source.kind === 'text') && (await this.store.exists(source.key));
  }
}
