import type { Scope } from '../auth/scope.js';
import { LinkedAbort } from '../errors/index.js';
import type { Queryable } from '../database/run.js';
import type { IngestionJob, RuledSource } from './job.js';
import type { JobQueue } from './job-queue.js';

const RENEW_MS = 8_000;

/** Thrown if another worker has claimed the job, or the document of the job was deleted. */
export class LeaseLost extends Error {
  constructor() {
    super('another worker has claimed the job, or its document was deleted');
  }
}

/** A worker's lease of a job. It is renewed until `end`. Its signal aborts when the lease is lost or the worker stops. */
export class Lease {
  private readonly abort: LinkedAbort;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly jobs: JobQueue,
    private current: IngestionJob,
    private readonly workerId: string,
    stopping: AbortSignal,
    onFailure: (error: unknown) => void,
  ) {
    this.abort = new LinkedAbort(stopping);
    this.timer = setInterval(() => {
      this.renew().catch(onFailure);
    }, RENEW_MS);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** The job. Its `attempts` are counted since its last progress. */
  get job(): IngestionJob {
    return this.current;
  }

  /**
   * Locks the job until the transaction of `manager` ends, and resets its attempts.
   * @throws LeaseLost
   */
  async advance(manager: Queryable): Promise<void> {
    const isFirstTry = this.current.attempts === 1;
    const kept = isFirstTry
      ? await this.jobs.hold(manager, this.current, this.workerId)
      : await this.jobs.advance(manager, this.current, this.workerId);
    if (!kept) this.lose();
    this.current = { ...this.current, attempts: 1 };
  }

  /** Stores the outcome of the job's rules. @throws LeaseLost */
  async keepRuled(ruled: RuledSource): Promise<void> {
    if (!(await this.jobs.keepRuled(this.current, this.workerId, ruled))) this.lose();
    this.current = { ...this.current, payload: { ...this.current.payload, ruled } };
  }

  /**
   * Finishes jobs of one worker and tenant in the transaction that stores their results.
   * @returns for each document, the metadata keys that callers have set since its job was enqueued
   * @throws LeaseLost
   */
  static async finish(
    manager: Queryable,
    scope: Scope,
    leases: readonly Lease[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const [first] = leases;
    if (first === undefined) return new Map();
    const ids = leases.map(({ job }) => job.jobId);
    const finished = await first.jobs.finish(manager, scope, ids, first.workerId);
    const overruled = new Map(
      finished.map(({ documentId, payload }) => [documentId, payload.overruled ?? []]),
    );
    for (const lease of leases) if (!overruled.has(lease.job.documentId)) lease.lose();
    return overruled;
  }

  end(): void {
    clearInterval(this.timer);
    this.abort.end();
  }

  private async renew(): Promise<void> {
    if (!(await this.jobs.renew(this.current, this.workerId))) this.abort.abort(new LeaseLost());
  }

  private lose(): never {
    const reason = new LeaseLost();
    this.abort.abort(reason);
    throw reason;
  }
}
