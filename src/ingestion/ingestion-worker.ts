import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { workerScope } from './worker-scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { ParseFailure } from '../parsing/parse-failure.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import type { IngestionJob } from './job.js';
import { JobRepository } from './job.repository.js';
import { Preparation, type PreparedVersion } from './preparation.js';
import { isTransient, MAX_ATTEMPTS, retryDelay } from './retry-policy.js';
import { WakeUp } from './wake-up.js';

const POLL_MS = 1_000;
const RENEW_MS = 8_000;

interface Lease {
  /** Aborted when the lease is lost or the worker stops. */
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/**
 * Takes jobs and turns their sources into retrievable documents. INGEST_CONCURRENCY documents are prepared at once;
 * while one is stored the next is prepared already, so that the embedding model does not wait for the database.
 */
@Injectable()
export class IngestionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IngestionWorker.name);
  private readonly id = randomUUID();
  private readonly stopping = new AbortController();
  private lanes: Promise<void>[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly jobs: JobRepository,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkRepository,
    private readonly preparation: Preparation,
    private readonly embedder: ChunkEmbedder,
    private readonly wakeUp: WakeUp,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.WORKER === 'off') return;
    // The embedded database has one process: whoever held a lease before is gone.
    if (this.settings.DATABASE_URL === undefined) await this.jobs.release();
    this.lanes = Array.from({ length: this.settings.INGEST_CONCURRENCY }, () => this.work());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wakeUp.ring();
    await Promise.all(this.lanes);
    if (this.lanes.length > 0) await this.jobs.release(this.id);
  }

  private async work(): Promise<void> {
    let storing: Promise<void> = Promise.resolve();
    while (!this.stopping.signal.aborted) {
      const job = await this.claim();
      if (job === null) {
        await this.wakeUp.wait(POLL_MS);
        continue;
      }
      const lease = this.keepLease(job);
      const prepared = await this.attempt(job, () => this.prepare(job, lease.signal));
      await storing;
      storing = this.storePrepared(job, prepared, lease);
    }
    await storing;
  }

  private async storePrepared(
    job: IngestionJob,
    prepared: PreparedVersion | undefined,
    lease: Lease,
  ): Promise<void> {
    if (prepared !== undefined) await this.attempt(job, () => this.store(job, prepared));
    lease.end();
  }

  private async claim(): Promise<IngestionJob | null> {
    try {
      return await this.jobs.claim(this.id);
    } catch (error) {
      this.logger.error({ err: error }, 'cannot take a job; trying again');
      return null;
    }
  }

  private async prepare(job: IngestionJob, signal: AbortSignal): Promise<PreparedVersion> {
    if (job.attempts > MAX_ATTEMPTS)
      throw new ParseFailure('Given up: the worker died every time it read this document.');
    const scope = workerScope(job.appId);
    const row = await this.documents.find(scope, job.documentId);
    if (row === null) throw new Error('a job outlived its document');
    return this.preparation.prepare(scope, job, row, signal);
  }

  private async store(job: IngestionJob, version: PreparedVersion): Promise<void> {
    const scope = workerScope(job.appId);
    await this.dataSource.transaction(async (manager) => {
      // The document is locked before its job, as a delete does.
      if ((await this.documents.lock(manager, scope, job.documentId)) === null) return;
      if (!(await this.jobs.finish(manager, job, this.id))) return;
      await this.documents.replaceText(manager, scope, job.documentId, version.text);
      await this.documents.complete(manager, scope, job.documentId, {
        contentType: version.contentType,
        chunkCount: version.chunks.length,
        textLength: version.text.length,
        pageCount: version.pageCount,
        additionalMetadata: version.additionalMetadata,
        embeddingModel: this.embedder.model,
      });
      await this.embedder.clearStage(manager, scope, job.documentId);
      await this.chunks.replace(manager, job.appId, job.documentId, 0, version.chunks);
    });
  }

  /** Runs a step; a failure ends in a later try or in a failed document with its reason, never in silence. */
  private async attempt<T>(job: IngestionJob, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      if (this.stopping.signal.aborted) return undefined;
      await this.settle(job, error).catch((failure: unknown) => {
        this.logger.error(
          { err: failure, document: job.documentId },
          'cannot record a failed step; its lease runs out',
        );
      });
      return undefined;
    }
  }

  private async settle(job: IngestionJob, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof ParseFailure) && job.attempts < MAX_ATTEMPTS) {
      const delay = retryDelay(error, job.attempts);
      this.logger.warn(
        { err: error, document: job.documentId, delay },
        'ingestion step failed; trying again',
      );
      await this.jobs.retry(job, this.id, delay, reason);
      return;
    }
    const told =
      error instanceof ParseFailure || isTransient(error)
        ? reason
        : 'An internal error stopped the ingestion; the log has the details. Requeue the document to try again.';
    this.logger.warn({ err: error, document: job.documentId }, 'document failed');
    await this.dataSource.transaction(async (manager) => {
      if ((await this.documents.lock(manager, workerScope(job.appId), job.documentId)) === null) return;
      const held =
        error instanceof ParseFailure
          ? await this.jobs.finish(manager, job, this.id)
          : await this.jobs.bury(manager, job, this.id, reason);
      if (held) await this.documents.fail(manager, job.appId, job.documentId, told);
    });
  }

  /** Renews the lease until its `end`. */
  private keepLease(job: IngestionJob): Lease {
    const lost = new AbortController();
    const timer = setInterval(() => {
      this.jobs.renew(job, this.id).then(
        (held) => {
          if (!held) lost.abort();
        },
        (error: unknown) => {
          this.logger.error({ err: error, document: job.documentId }, 'cannot renew a lease');
        },
      );
    }, RENEW_MS);
    return {
      signal: AbortSignal.any([lost.signal, this.stopping.signal]),
      end: () => {
        clearInterval(timer);
      },
    };
  }
}
