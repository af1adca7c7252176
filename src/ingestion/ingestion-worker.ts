import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { FailureSettlement } from './failure-settlement.js';
import type { IngestionJob } from './job.js';
import { JobRepository } from './job.repository.js';
import { Lease } from './lease.js';
import { Preparation, type PreparedVersion } from './preparation.js';
import { JobCompletion } from './job-completion.js';
import { MAX_DEATHS, WorkerDied } from './retry-policy.js';
import { WakeUp } from './wake-up.js';
import { workerScope } from './worker-scope.js';

const POLL_MS = 1_000;

/**
 * Takes jobs and turns their sources into retrievable documents. INGEST_CONCURRENCY documents are prepared at once;
 * while one is swapped in the next is prepared already, so that the embedding model does not wait for the database.
 */
@Injectable()
export class IngestionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IngestionWorker.name);
  private readonly id = randomUUID();
  private readonly stopping = new AbortController();
  private lanes: Promise<void>[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly jobs: JobRepository,
    private readonly documents: DocumentRepository,
    private readonly preparation: Preparation,
    private readonly completion: JobCompletion,
    private readonly failures: FailureSettlement,
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
    let completing: Promise<void> = Promise.resolve();
    while (!this.stopping.signal.aborted) {
      const { ticket } = this.wakeUp;
      const job = await this.claim();
      if (job === null) {
        await this.wakeUp.wait(ticket, POLL_MS);
        continue;
      }
      const lease = this.leaseOf(job);
      const prepared = await this.attempt(lease, () => this.prepare(lease));
      await completing;
      completing = this.complete(lease, prepared ?? null);
    }
    await completing;
  }

  private async claim(): Promise<IngestionJob | null> {
    try {
      return await this.jobs.claim(this.id);
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
  private async prepare(lease: Lease): Promise<PreparedVersion | null> {
    const { job } = lease;
    if (job.attempts > MAX_DEATHS) throw new WorkerDied();
    const scope = workerScope(job.appId);
    const row = await this.documents.find(scope, job.documentId);
    return row === null ? null : this.preparation.prepare(scope, row, lease);
  }

  private async complete(lease: Lease, prepared: PreparedVersion | null): Promise<void> {
    if (prepared !== null) await this.attempt(lease, () => this.completion.complete(lease, prepared));
    lease.end();
  }

  /** Runs a step; a failure ends in a later try or in a failed document with its reason, never in silence. */
  private async attempt<T>(lease: Lease, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      if (this.stopping.signal.aborted) return undefined;
      await this.failures.settle(lease.job, this.id, error).catch((failure: unknown) => {
        this.logger.error(
          { err: failure, document: lease.job.documentId },
          'cannot record a failed step; its lease runs out',
        );
      });
      return undefined;
    }
  }
}
