import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { shardOf } from '../auth/tenant-shards.js';
import { run, type Queryable } from '../database/run.js';
import { printJson } from '../json/exact-json.js';
import { claimMoreStatement, claimStatement, isShortText, LEASE_END, sizeDelay } from './claim-statement.js';
import type { IngestionJob, JobPayload, RuledSource } from './job.js';

interface JobRow {
  readonly app_id: string;
  readonly job_id: string;
  readonly document_id: string;
  readonly revision: string;
  readonly payload: JobPayload;
  /** A bigint. */
  readonly size: string;
  readonly attempts: number;
}

/**
 * The queue of ingestion jobs: rows in PostgreSQL, enqueued in the transaction that creates or updates the document and leased by one
 * worker at a time (FOR UPDATE SKIP LOCKED). A lease that is not renewed runs out, and the job goes to the next worker.
 * Tenants take turns, and among the jobs of one a short document overtakes a long one ({@link claimStatement}); the jobs
 * of one document run one after another, in the order in which they came. The workers of this process are woken by
 * `notify`; other processes find a job by polling.
 */
@Injectable()
export class JobQueue {
  private readonly waiting = new Set<() => void>();
  private notifications = 0;

  constructor(private readonly dataSource: DataSource) {}

  /** Wakes the workers of this process. Call it after the enqueueing transaction has committed. */
  notify(): void {
    this.notifications += 1;
    for (const wake of this.waiting) wake();
  }

  /** Take this before looking for work, so that a notification between the look and the wait is not missed. */
  get ticket(): number {
    return this.notifications;
  }

  /** Resolves at the first notification after `ticket` was taken, or after `ms`. */
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

  /** @param size bytes of the source that the job reads */
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

  /**
   * Takes the job that is next, or null when none is due.
   * @param maxBytes takes none with a longer source; null: any
   */
  async claim(workerId: string, maxBytes: number | null = null): Promise<IngestionJob | null> {
    // A statement that a frozen database runs later, when nobody waits for its answer, must not take a job with it: it
    // counts when its answer has come.
    const [row] = await this.dataSource.transaction((manager) =>
      run<JobRow>(manager, claimStatement(workerId, maxBytes)),
    );
    return row === undefined ? null : jobOf(row);
  }

  /** Takes up to `most` further jobs that can be done together with `job`: both it and they are short texts. */
  async claimMore(workerId: string, job: IngestionJob, most: number): Promise<IngestionJob[]> {
    if (most === 0 || !isShortText(job)) return [];
    const rows = await this.dataSource.transaction((manager) =>
      run<JobRow>(manager, claimMoreStatement(workerId, job.appId, most)),
    );
    return rows.map(jobOf);
  }

  /** Renews the lease. @returns false when the job has meanwhile gone to another worker or away. */
  async renew(job: IngestionJob, workerId: string): Promise<boolean> {
    return this.hasRows(
      this.dataSource,
      sql`update ingestion_jobs set leased_until = ${LEASE_END} where ${held(job, workerId)} returning job_id`,
    );
  }

  /**
   * Keeps the job with this worker until the transaction of `manager` ends, which stores a part of its work. Several
   * transactions of the worker may do so at once; nobody else can claim or remove the job meanwhile.
   */
  async hold(manager: Queryable, job: IngestionJob, workerId: string): Promise<boolean> {
    return this.hasRows(
      manager,
      sql`select job_id from ingestion_jobs where ${held(job, workerId)} for key share`,
    );
  }

  /** As `hold`; the tries of the job are counted anew. */
  async advance(manager: Queryable, job: IngestionJob, workerId: string): Promise<boolean> {
    return this.hasRows(
      manager,
      sql`update ingestion_jobs set leased_until = ${LEASE_END}, attempts = 1
          where ${held(job, workerId)} returning job_id`,
    );
  }

  /** Stores what the rules of a job have made of its content. @returns false when this worker no longer holds it. */
  async keepRuled(job: IngestionJob, workerId: string, ruled: RuledSource): Promise<boolean> {
    return this.hasRows(
      this.dataSource,
      sql`update ingestion_jobs set payload = payload || jsonb_build_object('ruled', ${printJson(ruled)}::jsonb),
            leased_until = ${LEASE_END}
          where ${held(job, workerId)} returning job_id`,
    );
  }

  /**
   * Ends jobs of a tenant.
   * @returns those that this worker held, as they were: the results of others must not be stored.
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

  /** Puts a job back for a later try; jobs that wait for that do not stand before those that are due. */
  async retry(job: IngestionJob, workerId: string, delayMs: number, reason: string): Promise<void> {
    const delay = sql`make_interval(secs => ${delayMs / 1000}::float8)`;
    await run(
      this.dataSource,
      sql`update ingestion_jobs set state = 'queued', attempts = ${job.attempts}, leased_by = null,
            leased_until = null, last_error = ${reason},
            run_at = clock_timestamp() + ${delay}, order_at = greatest(order_at, clock_timestamp() + ${delay})
          where ${held(job, workerId)}`,
    );
  }

  /** Makes a dead letter of a job, which stays until its document is requeued, updated or deleted. */
  async deadLetter(
    manager: Queryable,
    job: IngestionJob,
    workerId: string,
    reason: string,
  ): Promise<boolean> {
    return this.hasRows(
      manager,
      sql`update ingestion_jobs set state = 'dead', leased_by = null, leased_until = null, last_error = ${reason}
          where ${held(job, workerId)} returning job_id`,
    );
  }

  /**
   * Frees jobs that a worker held: its own at shutdown, which does not count as a try, and everybody's when no other
   * process can hold one.
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
   * Puts the dead letters of a document back into the queue.
   * @param useColpali null: as they were
   * @returns whether there were any
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

  /** Removes all jobs of the documents. */
  async removeAll(manager: Queryable, { appId }: Scope, documentIds: readonly string[]): Promise<void> {
    await run(
      manager,
      sql`delete from ingestion_jobs where app_id = ${appId} and document_id = any(${documentIds}::uuid[])`,
    );
  }

  /** Removes the dead letters of documents. @returns what was removed. */
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

  /** Those of the documents that have a job which is queued or running. */
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

  /** Revision of the last job of a document that is queued or running; null: there is none. */
  async lastPending(scope: Scope, documentId: string): Promise<string | null> {
    const [row] = await run<{ revision: string | null }>(
      this.dataSource,
      sql`select max(revision) as revision from ingestion_jobs
          where ${ofDocument(scope, documentId)} and state <> 'dead'`,
    );
    return row?.revision ?? null;
  }

  /**
   * Whether a job of the document is queued or running that an update has to wait for: one up to `revision` (null: there
   * was none), or one that makes the whole text again from its source, which would take the update's text away.
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

  /** Keys of a document's metadata are set: what its jobs bring for them is older from here on. */
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

  /** Whether a statement finds a row, or changes one. */
  private async hasRows(database: Queryable, statement: Sql): Promise<boolean> {
    return (await run(database, statement)).length > 0;
  }
}

const JOB_COLUMNS = raw('app_id, job_id, document_id, revision, payload, size, attempts');

function held({ appId, jobId }: IngestionJob, workerId: string): Sql {
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
