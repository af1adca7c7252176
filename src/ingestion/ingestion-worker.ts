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
import { ParseFailure } from '#reader';
import { PERMISSIONS, scopeOf, tenantOf, type Scope } from '../auth/scope.js';
import { documentsAtOnce } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { IngestionFailure } from '../corpus/document-row.js';
import { DocumentTextRepository } from '../corpus/document-text.repository.js';
import { databaseFailure } from '../database/failures.js';
import { runInContext } from '../request/request-context.js';
import { ObjectStore } from '../storage/object-store.js';
import { ingestions } from '../telemetry/metrics.js';
import { inSpan, SpanKind, TENANT } from '../telemetry/spans.js';
import { SHORT_BYTES } from './claim-statement.js';
import { IngestionService, TextChanged, type Commit, type Prepared } from './ingestion.service.js';
import type { IngestionJob } from './job.js';
import { JobQueue } from './job-queue.js';
import { changeOfJob, contentOfJob } from './job-version.js';
import { Lease, LeaseLost } from './lease.js';
import { progressAt } from './progress.js';
import {
  errorKindOf,
  isFinal,
  isTransient,
  MAX_ATTEMPTS,
  MAX_DEATHS,
  retryDelay,
  WorkerDied,
} from './retry-policy.js';

const POLL_MS = 1_000;

/** Maximum time for which a claim waits for the object store. */
const STORE_WAIT_MS = 1_000;

/**
 * Maximum number of jobs in a batch besides the first. The jobs of a batch share statements, commits and model calls.
 */
const MAX_FURTHER_JOBS = 15;

interface Leased {
  readonly lease: Lease;
}

type OneOrMore<T> = readonly [T, ...T[]];

const INTERNAL =
  'An internal error stopped the ingestion; the log has the details. Requeue the document to try again.';

/**
 * Claims jobs and converts their sources to searchable documents. Several slots run concurrently. Each slot prepares
 * the next document while it commits the previous one, so the embedding model does not wait for the database. One slot
 * is reserved for short documents, so that a short document does not wait until long documents are finished.
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
    private readonly texts: DocumentTextRepository,
    private readonly ingestion: IngestionService,
    private readonly objects: ObjectStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.WORKER === 'off') return;
    // Only one process uses the embedded database, so all earlier leases are stale.
    if (this.settings.DATABASE_URL === undefined) await this.jobs.release();
    setMaxListeners(0, this.stopping.signal); // no limit, because every lease adds a listener
    const slots = documentsAtOnce(this.settings);
    this.loops = Array.from({ length: slots }, (_, slot) =>
      this.work(slots > 1 && slot === 0 ? SHORT_BYTES : null),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.jobs.notify();
    await Promise.all(this.loops);
    if (this.loops.length > 0) await this.jobs.release(this.id);
  }

  /** Runs a slot. @param maxBytes maximum source size; null for no limit */
  private async work(maxBytes: number | null): Promise<void> {
    let committing: Promise<void> = Promise.resolve();
    while (!this.stopping.signal.aborted) {
      const { ticket } = this.jobs;
      const leases = (await this.claim(maxBytes)).map((job) => this.leaseOf(job));
      if (leases.length === 0) {
        await this.jobs.wait(ticket, POLL_MS);
        continue;
      }
      const leased = leases.map((lease) => ({ lease }));
      const prepared = await this.step('prepare', leased, (batch) => this.prepare(batch));
      await committing;
      committing = this.commit(prepared).finally(() => {
        for (const lease of leases) lease.end();
      });
    }
    await committing;
  }

  /**
   * Claims a job, or several short jobs of one tenant. Claims nothing while another database owns the object store.
   * While the store is unavailable, claims only jobs of posted texts. They need no file.
   */
  private async claim(maxBytes: number | null): Promise<IngestionJob[]> {
    const store = await this.objects.changeability(STORE_WAIT_MS);
    if (store === 'forbidden') return [];
    try {
      const job = await this.jobs.claim(this.id, { maxBytes, isPosted: store === 'unknown' });
      return job === null ? [] : [job, ...(await this.claimMore(job))];
    } catch (error) {
      this.logger.error({ err: error }, 'cannot claim a job; trying again');
      return [];
    }
  }

  /** Claims further jobs for a batch with `job`. If this fails, `job` runs alone. */
  private async claimMore(job: IngestionJob): Promise<IngestionJob[]> {
    try {
      return await this.jobs.claimMore(
        this.id,
        job,
        this.settings.DATABASE_URL === undefined ? 0 : MAX_FURTHER_JOBS,
      );
    } catch (error) {
      this.logger.error({ err: error }, 'cannot claim further jobs');
      return [];
    }
  }

  private leaseOf(job: IngestionJob): Lease {
    return new Lease(this.jobs, job, this.id, this.stopping.signal, (error) => {
      this.logger.error({ err: error, document: job.documentId }, 'cannot renew a lease');
    });
  }

  /** Drafts and stages versions. @returns the staged versions; documents that were deleted meanwhile are omitted */
  private async prepare(leased: OneOrMore<Leased>): Promise<Prepared[]> {
    const leases = leased.map(({ lease }) => lease);
    const { job, signal } = leased[0].lease;
    if (job.attempts > MAX_DEATHS) throw new WorkerDied();
    return runInContext(leases.length === 1 ? signal : this.stopping.signal, async () => {
      const scope = scopeOfJob(job);
      const posted = leases.filter(({ job: { payload } }) => payload.source.kind === 'posted');
      const [rows, texts] = await Promise.all([
        this.documents.listById(scope, leases.map(documentOf)),
        this.texts.whole(scope, posted.map(documentOf)),
      ]);
      const drafts = await Promise.all(
        leases.map(async (lease) => {
          const row = rows.get(documentOf(lease));
          if (row === undefined) return [];
          const content = contentOfJob(lease.job, row, texts.get(documentOf(lease)));
          return [{ lease, draft: await this.ingestion.draft(scope, row, content, lease) }];
        }),
      );
      return this.ingestion.stageAll(drafts.flat());
    });
  }

  private async commit(prepared: readonly Prepared[]): Promise<void> {
    await this.step('commit', prepared, async (batch) => {
      const rows = await this.ingestion.commit(scopeOfJob(batch[0].lease.job), batch.map(commitOf));
      ingestions.inc({ outcome: 'completed' }, rows.size);
      return [];
    });
  }

  /**
   * Runs a step for a batch of jobs. If the step fails for the batch, runs it for each job alone, so that only the
   * failing job fails.
   */
  private async step<In extends Leased, Out>(
    name: string,
    leased: readonly In[],
    work: (batch: OneOrMore<In>) => Promise<readonly Out[]>,
  ): Promise<readonly Out[]> {
    const [first, ...others] = leased;
    if (first === undefined) return [];
    if (others.length > 0) {
      try {
        return await traced(name, leased, () => work([first, ...others]));
      } catch (error) {
        this.logger.debug({ err: error }, 'a batch failed; running its jobs one by one');
      }
    }
    const results = await Promise.all(
      leased.map((one) => this.attempt(one.lease, () => traced(name, [one], () => work([one])))),
    );
    return results.flatMap((result) => result ?? []);
  }

  /** Runs a step. After a failure, the job is retried, or the document fails with a reason. */
  private async attempt<T>(lease: Lease, step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      await this.record(lease.job, error);
      return undefined;
    }
  }

  /** Records a failed step. Retries while the database is unavailable. */
  private async record(job: IngestionJob, error: unknown): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { ticket } = this.jobs;
      try {
        await this.settle(job, error);
        return;
      } catch (failure) {
        const document = job.documentId;
        if (databaseFailure(failure) === undefined) {
          this.logger.error({ err: failure, document }, 'cannot record a failed step; its lease will expire');
          return;
        }
        this.logger.warn({ err: failure, document }, 'cannot record a failed step; trying again');
        await this.jobs.wait(ticket, POLL_MS);
      }
    }
  }

  /** Schedules a retry of a failed job with backoff, or makes the job a dead letter with a readable reason. */
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
    // A document does not cause an outage of the database, so an outage permits more attempts.
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
    await this.fail(job, reason, {
      reason: isFinal(error) || isTransient(error) ? reason : INTERNAL,
      kind: errorKindOf(error),
      contentType: error instanceof ParseFailure ? error.contentType : null,
    });
    ingestions.inc({ outcome: 'failed' });
  }

  private async fail(job: IngestionJob, reason: string, failure: IngestionFailure): Promise<void> {
    const scope = scopeOfJob(job);
    await this.dataSource.transaction(async (manager) => {
      if ((await this.documents.lock(manager, scope, job.documentId)) === null) return;
      if (!(await this.jobs.deadLetter(manager, job, this.id, reason))) return;
      const pending = await this.jobs.pending(manager, scope, [job.documentId]);
      await this.documents.fail(
        manager,
        scope,
        job.documentId,
        failure,
        pending.has(job.documentId) ? progressAt('queued', 0) : null,
      );
    });
  }
}

function traced<T>(step: string, leased: readonly Leased[], work: () => Promise<T>): Promise<T> {
  const tenants = new Set(leased.map(({ lease }) => tenantOf(lease.job.appId)));
  const attributes = {
    [TENANT]: [...tenants].join(' '),
    'lectern.document_id': leased.map(({ lease }) => documentOf(lease)).join(' '),
  };
  return inSpan(`ingestion ${step}`, { kind: SpanKind.CONSUMER, attributes }, work);
}

function commitOf({ lease, version }: Prepared): Commit {
  return {
    version,
    by: lease,
    change: (staged, current, overruled) => changeOfJob(lease.job, staged, current, overruled),
  };
}

function documentOf({ job }: Lease): string {
  return job.documentId;
}

/** Returns the scope in which the worker runs a job: the tenant shard of the document. */
function scopeOfJob({ appId }: IngestionJob): Scope {
  return scopeOf(appId, PERMISSIONS, 'worker');
}
