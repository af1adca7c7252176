import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { type Scope, shardOf } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { printJson } from '../json/exact-json.js';
import {
  claimMoreStatement,
  claimStatement,
  isShortText,
  LEASE_END,
  sizeDelay,
  type WantedJob,
} from './claim-statement.js';
import type { IngestionJob, JobPayload, RuledSource } from './job.js';

interface JobRow {
  readonly app_id: string;
  readonly job_id: string;
  readonly document_id: string;
  readonly revision: string;
  readonly payload: JobPayload;
  /** A PostgreSQL bigint, which `pg` returns as text. */
  readonly size: string;
  readonly attempts: number;
}

/**
 * Queue of ingestion jobs in PostgreSQL. The transaction that creates or updates a document enqueues its job. A worker
 * claims a job with FOR UPDATE SKIP LOCKED and holds a lease of the job. When the lease expires, another worker claims
 * the job. The queue serves tenants in turn and runs short documents before long ones ({@link claimStatement}). The
 * jobs of a document run in the order of their revisions. `notify` wakes the workers of this process; other processes
 * poll.
 */
@Injectable()
export class JobQueue {
  private readonly waiting = new Set<() => void>();
  private notifications = 0;

  constructor(private readonly dataSource: DataSource) {}

  /** Wakes the workers of this process. Call it after the commit of the enqueueing transaction. */
  notify(): void {
    this.notifications += 1;
    for (const wake of this.waiting) wake();
  }

  /**
   * Ticket for `wait`. Get the ticket before `claim`, so that `wait` does not miss a notification that arrives between
   * `claim` and `wait`.
   */
  get ticket(): number {
    return this.notifications;
  }

  /** Resolves at the first notification after the ticket was taken, or after `ms` milliseconds. */
  async wait(ticket: number, ms: number): Promise<void> {
    if (ticket !== this.notifications) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.waiting.add(wake);
    });
  }

  /** Enqueues a job. @param size size in bytes of the source that the job reads */
  async enqueue(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    payload: JobPayload,
    size: number,
  ): Promise<void> {
    await run(
      manager,
      sql`insert into ingestion_jobs (app_id, document_id, payload, size, order_at)
          values (${shardOf(scope, documentId).appId}, ${documentId}::uuid, ${printJson(payload)}::jsonb, ${size},
            clock_timestamp() + ${sizeDelay(sql`${size}::float8`)})`,
    );
  }

  /** Claims the next due job. Returns null if no job is due. */
  async claim(workerId: string, wanted: WantedJob = {}): Promise<IngestionJob | null> {
    // Runs in a transaction, so that the lease is rolled back if the database client stops waiting for the result.
    const [row] = await this.dataSource.transaction((manager) =>
      run<JobRow>(manager, claimStatement(workerId, wanted)),
    );
    return row === undefined ? null : jobOf(row);
  }

  /**
   * Claims up to `limit` more jobs of short texts for a batch with `job`. Claims none if `job` itself has no short
   * text.
   */
  async claimMore(workerId: string, job: IngestionJob, limit: number): Promise<IngestionJob[]> {
    if (limit === 0 || !isShortText(job)) return [];
    const rows = await this.dataSource.transaction((manager) =>
      run<JobRow>(manager, claimMoreStatement(workerId, job.appId, limit)),
    );
    return rows.map(jobOf);
  }

  /** Renews the lease. @returns false if another worker has claimed the job, or the job was deleted. */
  async renew(job: IngestionJob, workerId: string): Promise<boolean> {
    return this.hasRows(
      this.dataSource,
      sql`update ingestion_jobs set leased_until = ${LEASE_END} where ${leased(job, workerId)} returning job_id`,
    );
  }

  /**
   * Locks the leased job until the transaction of `manager` ends. Several transactions of this worker can hold the lock;
   * no other process can claim or delete the job meanwhile.
   */
  async hold(manager: Queryable, job: IngestionJob, workerId: string): Promise<boolean> {
    return this.hasRows(
      manager,
      sql`select job_id from ingestion_jobs where ${leased(job, workerId)} for key share`,
    );
  }

  /** Like `hold`, but also resets the attempts of the job. */
  async advance(manager: Queryable, job: IngestionJob, workerId: string): Promise<boolean> {
    return this.hasRows(
      manager,
      sql`update ingestion_jobs set leased_until = ${LEASE_END}, attempts = 1
          where ${leased(job, workerId)} returning job_id`,
    );
  }

  /** Stores the outcome of the job's rules. @returns false if this worker has lost the lease. */
  async keepRuled(job: IngestionJob, workerId: string, ruled: RuledSource): Promise<boolean> {
    return this.hasRows(
      this.dataSource,
      sql`update ingestion_jobs set payload = payload || jsonb_build_object('ruled', ${printJson(ruled)}::jsonb),
            leased_until = ${LEASE_END}
          where ${leased(job, workerId)} returning job_id`,
    );
  }

  /**
   * Deletes finished jobs of a tenant.
   * @returns those jobs that this worker had leased; the caller must not store the results of the other jobs.
   */
  async finish(
    manager: Queryable,
    { appId }: Scope,
    jobIds: readonly string[],
    workerId: string,
  ): Promise<IngestionJob[]> {
    const rows = await run<JobRow>(
      manager,
      sql`delete from ingestion_jobs
          where app_id = ${appId} and job_id = any(${jobIds}::uuid[]) and leased_by = ${workerId}::uuid
          returning ${JOB_COLUMNS}`,
    );
    return rows.map(jobOf);
  }

  /** Returns a job to the queue with a delay. A delayed job does not block jobs that are due. */
  async retry(job: IngestionJob, workerId: string, delayMs: number, reason: string): Promise<void> {
    const delay = sql`make_interval(secs => ${delayMs / 1000}::float8)`;
    await run(
      this.dataSource,
      sql`update ingestion_jobs set state = 'queued', attempts = ${job.attempts}, leased_by = null,
            leased_until = null, last_error = ${reason},
            run_at = clock_timestamp() + ${delay}, order_at = greatest(order_at, clock_timestamp() + ${delay})
          where ${leased(job, workerId)}`,
    );
  }

  /** Makes a job a dead letter. A dead letter is kept until its document is requeued, updated or deleted. */
  async deadLetter(
    manager: Queryable,
    job: IngestionJob,
    workerId: string,
    reason: string,
  ): Promise<boolean> {
    return this.hasRows(
      manager,
      sql`update ingestion_jobs set state = 'dead', leased_by = null, leased_until = null, last_error = ${reason}
          where ${leased(job, workerId)} returning job_id`,
    );
  }

  /**
   * Releases the leases of a worker at shutdown. The interrupted attempts are not counted. Without `workerId`, releases
   * all leases. This is allowed only if no other process can hold a lease.
   */
  async release(workerId?: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update ingestion_jobs set state = 'queued', leased_by = null, leased_until = null${
        workerId === undefined ? empty : sql`, attempts = attempts - 1`
      } where state = 'running'${workerId === undefined ? empty : sql` and leased_by = ${workerId}::uuid`}`,
    );
  }

  /**
   * Returns the dead letters of a document to the queue.
   * @param useColpali null leaves the setting of the jobs unchanged
   * @returns whether the document had dead letters
   */
  async requeueDeadLetters(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    useColpali: boolean | null,
  ): Promise<boolean> {
    const payload = sql`case when jsonb_typeof(payload -> 'update') = 'object'
                then jsonb_set(payload, '{update,useColpali}', to_jsonb(${useColpali}::boolean)) else payload end`;
    return this.hasRows(
      manager,
      sql`update ingestion_jobs set state = 'queued', attempts = 0, run_at = clock_timestamp(), last_error = null,
            order_at = clock_timestamp() + ${sizeDelay(sql`size`)}${
              useColpali === null ? empty : sql`, payload = ${payload}`
            }
          where ${ofDocument(scope, documentId)} and state = 'dead' returning job_id`,
    );
  }

  /**
   * Removes all jobs of the documents.
   * @returns the ids of the documents that had a job with its content in the object store
   */
  async removeAll(manager: Queryable, { appId }: Scope, documentIds: readonly string[]): Promise<string[]> {
    const rows = await run<{ document_id: string; key: string | null }>(
      manager,
      sql`delete from ingestion_jobs where app_id = ${appId} and document_id = any(${documentIds}::uuid[])
          returning document_id, payload -> 'source' ->> 'key' as key`,
    );
    return rows.filter(({ key }) => key !== null).map((row) => row.document_id);
  }

  /** Removes the dead letters of documents. @returns the removed jobs. */
  async removeDeadLetters(
    manager: Queryable,
    { appId }: Scope,
    documentIds: readonly string[],
  ): Promise<IngestionJob[]> {
    const rows = await run<JobRow>(
      manager,
      sql`delete from ingestion_jobs
          where app_id = ${appId} and document_id = any(${documentIds}::uuid[]) and state = 'dead'
          returning ${JOB_COLUMNS}`,
    );
    return rows.map(jobOf);
  }

  /** Returns the ids of the documents with a queued or running job. */
  async pending(
    manager: Queryable,
    { appId }: Scope,
    documentIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const rows = await run<{ document_id: string }>(
      manager,
      sql`select document_id from ingestion_jobs
          where app_id = ${appId} and document_id = any(${documentIds}::uuid[]) and state <> 'dead'`,
    );
    return new Set(rows.map(({ document_id }) => document_id));
  }

  /** Returns the revision of the document's last queued or running job, or null if the document has no such job. */
  async lastPending(scope: Scope, documentId: string): Promise<string | null> {
    const [row] = await run<{ revision: string | null }>(
      this.dataSource,
      sql`select max(revision) as revision from ingestion_jobs
          where ${ofDocument(scope, documentId)} and state <> 'dead'`,
    );
    return row?.revision ?? null;
  }

  /**
   * Whether an update must wait for a queued or running job of the document. The update must wait for jobs with a
   * revision of at most `revision`. null: there are none. It must also wait for jobs of any revision that rebuild the
   * whole text from its source, because they would overwrite the update.
   */
  async hasEarlier(
    scope: Scope,
    documentId: string,
    revision: string | null,
    database: Queryable = this.dataSource,
  ): Promise<boolean> {
    return this.hasRows(
      database,
      sql`select job_id from ingestion_jobs
          where ${ofDocument(scope, documentId)} and state <> 'dead'
            and (revision <= ${revision}::bigint or jsonb_typeof(payload -> 'update') is distinct from 'object')
          limit 1`,
    );
  }

  /** Marks metadata keys as set by a caller, so that pending jobs of the document do not overwrite their values. */
  async overrule(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    keys: readonly string[],
  ): Promise<void> {
    await run(
      manager,
      sql`update ingestion_jobs set payload = jsonb_set(payload, '{overruled}',
            coalesce(payload -> 'overruled', '[]'::jsonb) || to_jsonb(${keys}::text[]))
          where ${ofDocument(scope, documentId)}`,
    );
  }

  private async hasRows(database: Queryable, statement: Sql): Promise<boolean> {
    return (await run(database, statement)).length > 0;
  }
}

const JOB_COLUMNS = raw('app_id, job_id, document_id, revision, payload, size, attempts');

function leased({ appId, jobId }: IngestionJob, workerId: string): Sql {
  return sql`app_id = ${appId} and job_id = ${jobId}::uuid and leased_by = ${workerId}::uuid`;
}

function ofDocument(scope: Scope, documentId: string): Sql {
  return sql`app_id = ${shardOf(scope, documentId).appId} and document_id = ${documentId}::uuid`;
}

function jobOf(row: JobRow): IngestionJob {
  return {
    appId: row.app_id,
    jobId: row.job_id,
    documentId: row.document_id,
    revision: row.revision,
    payload: row.payload,
    size: Number(row.size),
    attempts: row.attempts,
  };
}
