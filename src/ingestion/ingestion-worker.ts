import { setMaxListeners } from 'node:events';
import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PERMISSIONS, type Scope } from '../auth/scope.js';
import { documentsAtOnce } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { databaseFailure } from '../database/failures.js';
import { runInContext } from '../request/request-context.js';
import { ObjectStore } from '../storage/object-store.js';
import { ingestions } from '../telemetry/metrics.js';
import { inSpan, SpanKind } from '../telemetry/spans.js';
import { SHORT_BYTES } from './claim-statement.js';
import { IngestionService, TextChanged } from './ingestion.service.js';
import type { IngestionJob } from './job.js';
import { JobQueue } from './job-queue.js';
import { contentOfJob, rowChangeOfJob } from './job-version.js';
import { Lease, LeaseLost } from './lease.js';
import { progressAt } from './progress.js';
import { isFinal, isTransient, MAX_ATTEMPTS, MAX_DEATHS, retryDelay, WorkerDied } from './retry-policy.js';
import type { StagedVersion } from './version.js';

const POLL_MS = 1_000;

const INTERNAL =
  'An internal error stopped the ingestion; the log has the details. Requeue the document to try again.';

/**
 * Takes jobs and turns their sources into retrievable documents. Several documents are prepared at once; while
 * one is committed the next is prepared already, so that the embedding model does not wait for the database. Of several
 * places one takes short documents only, which do not wait for long ones that have begun.
 */
@Injectable()
export class IngestionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IngestionWorker.name);
  private readonly id = randomUUID();
  private readonly stopping = new AbortController();
  private loops: Promise<void>[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly jobs: JobQueue,
    private readonly documents: DocumentRepository,
    private readonly ingestion: IngestionService,
    private readonly objects: ObjectStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.WORKER === 'off') return;
    // The embedded database has one process: whoever held a lease before is gone.
    if (this.settings.DATABASE_URL === undefined) await this.jobs.release();
    setMaxListeners(0, this.stopping.signal); // each lease listens, two for each place
    const places = documentsAtOnce(this.settings);
    this.loops = Array.from({ length: places }, (_, place) =>
      this.work(places > 1 && place === 0 ? SHORT_BYTES : null),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.jobs.notify();
    await Promise.all(this.loops);
    if (this.loops.length > 0) await this.jobs.release(this.id);
  }

  /** @param maxBytes of the sources that it takes; null: any */
  private async work(maxBytes: number | null): Promise<void> {
    let committing: Promise<void> = Promise.resolve();
    while (!this.stopping.signal.aborted) {
      const { ticket } = this.jobs;
      const job = await this.claim(maxBytes);
      if (job === null) {
        await this.jobs.wait(ticket, POLL_MS);
        continue;
      }
      const lease = this.leaseOf(job);
      const version = await this.attempt(lease, () =>
        this.traced('prepare', job, () => runInContext(lease.signal, () => this.prepare(lease))),
      );
      await committing;
      committing = this.commit(lease, version ?? null);
    }
    await committing;
  }

  /** Without the store of files a job could not be done; it waits for a process that has it. */
  private async claim(maxBytes: number | null): Promise<IngestionJob | null> {
    if (!(await this.objects.isChangeable())) return null;
    try {
      return await this.jobs.claim(this.id, maxBytes);
    } catch (error) {
      this.logger.error({ err: error }, 'cannot take a job; trying again');
      return null;
    }
  }

  private leaseOf(job: IngestionJob): Lease {
    return new Lease(this.jobs, job, this.id, this.stopping.signal, (error) => {
      this.logger.error({ err: error, document: job.documentId }, 'cannot renew a lease');
    });
  }

  /** @returns null when the document has gone meanwhile. */
  private async prepare(lease: Lease): Promise<StagedVersion | null> {
    const { job } = lease;
    if (job.attempts > MAX_DEATHS) throw new WorkerDied();
    const scope = scopeOf(job);
    const row = await this.documents.find(scope, job.documentId);
    if (row === null) return null;
    return this.ingestion.stage(await this.ingestion.draft(scope, row, contentOfJob(job, row), lease), lease);
  }

  private async commit(lease: Lease, version: StagedVersion | null): Promise<void> {
    if (version !== null) {
      await this.attempt(lease, async () => {
        await this.traced('commit', lease.job, () =>
          this.ingestion.commit(version, {
            by: lease,
            change: (current, overruled) => rowChangeOfJob(lease.job, version.draft, current, overruled),
          }),
        );
        ingestions.inc({ outcome: 'completed' });
      });
    }
    lease.end();
  }

  private traced<T>(step: string, { documentId }: IngestionJob, work: () => Promise<T>): Promise<T> {
    const attributes = { 'lectern.document_id': documentId };
    return inSpan(`ingestion ${step}`, { kind: SpanKind.CONSUMER, attributes }, work);
  }

  /** Runs a step; a failure ends in a later try or in a failed document with its reason, never in silence. */
  private async attempt<T>(lease: Lease, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      await this.record(lease.job, error);
      return undefined;
    }
  }

  /** Writes down what became of a failed step; while the database is away that waits, so that nothing else has to. */
  private async record(job: IngestionJob, error: unknown): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { ticket } = this.jobs;
      try {
        await this.settle(job, error);
        return;
      } catch (failure) {
        const document = job.documentId;
        if (databaseFailure(failure) === undefined) {
          this.logger.error({ err: failure, document }, 'cannot record a failed step; its lease runs out');
          return;
        }
        this.logger.warn({ err: failure, document }, 'cannot record a failed step; trying again');
        await this.jobs.wait(ticket, POLL_MS);
      }
    }
  }

  /** Decides what becomes of a job after a failure: a later try, or a dead letter with a reason for people. */
  private async settle(job: IngestionJob, thrown: unknown): Promise<void> {
    const failure = databaseFailure(thrown);
    const error = failure ?? thrown;
    if (error instanceof LeaseLost) {
      this.logger.debug({ document: job.documentId }, error.message);
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof TextChanged) {
      await this.jobs.retry({ ...job, attempts: job.attempts - 1 }, this.id, 0, reason);
      return;
    }
    // It is no fault of the document when the database was away.
    const maxAttempts = failure === undefined ? MAX_ATTEMPTS : MAX_DEATHS;
    if (!isFinal(error) && job.attempts < maxAttempts) {
      const delay = retryDelay(error, job.attempts);
      this.logger.warn(
        { err: error, document: job.documentId, delay },
        'ingestion step failed; trying again',
      );
      await this.jobs.retry(job, this.id, delay, reason);
      ingestions.inc({ outcome: 'retried' });
      return;
    }
    this.logger.warn({ err: error, document: job.documentId }, 'document failed');
    await this.fail(job, reason, isFinal(error) || isTransient(error) ? reason : INTERNAL);
    ingestions.inc({ outcome: 'failed' });
  }

  private async fail(job: IngestionJob, reason: string, told: string): Promise<void> {
    const scope = scopeOf(job);
    await this.dataSource.transaction(async (manager) => {
      if ((await this.documents.lock(manager, scope, job.documentId)) === null) return;
      if (!(await this.jobs.deadLetter(manager, job, this.id, reason))) return;
      const next = await this.jobs.hasPending(manager, scope, job.documentId);
      await this.documents.fail(manager, scope, job.documentId, told, next ? progressAt('queued', 0) : null);
    });
  }
}

/** The scope in which the worker acts for the tenant of a job. */
function scopeOf({ appId }: IngestionJob): Scope {
  return { appId, permissions: new Set(PERMISSIONS), keyId: 'worker' };
}
