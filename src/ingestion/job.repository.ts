import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql, { empty } from 'sql-template-tag';
import { run, type Queryable } from '../database/run.js';
import type { IngestionJob, JobPayload } from './job.js';

/** Seconds that a claimed job stays with its worker without a sign of life. */
const LEASE_SECONDS = 30;

interface JobRow {
  readonly app_id: string;
  readonly job_id: string;
  readonly document_id: string;
  readonly payload: JobPayload;
  readonly attempts: number;
}

/**
 * The job queue: rows in PostgreSQL, enqueued in the transaction that creates the document and leased by one worker at
 * a time (FOR UPDATE SKIP LOCKED). A lease that is not renewed runs out, and the job goes to the next worker.
 */
@Injectable()
export class JobRepository {
  constructor(private readonly dataSource: DataSource) {}

  async enqueue(manager: Queryable, appId: string, documentId: string, payload: JobPayload): Promise<void> {
    await run(
      manager,
      sql`insert into ingestion_jobs (app_id, document_id, payload)
          values (${appId}, ${documentId}::uuid, ${JSON.stringify(payload)}::jsonb)`,
    );
  }

  /** Takes the oldest job that is due, or null. Jobs of all tenants are in one line. */
  async claim(workerId: string): Promise<IngestionJob | null> {
    const [row] = await run<JobRow>(
      this.dataSource,
      sql`update ingestion_jobs set state = 'running', attempts = attempts + 1, leased_by = ${workerId}::uuid,
            leased_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
          where (app_id, job_id) = (
            select app_id, job_id from ingestion_jobs
            where state <> 'dead' and run_at <= clock_timestamp()
              and (leased_until is null or leased_until < clock_timestamp())
            order by run_at, created_at
            for update skip locked
            limit 1)
          returning app_id, job_id, document_id, payload, attempts`,
    );
    if (row === undefined) return null;
    return {
      appId: row.app_id,
      jobId: row.job_id,
      documentId: row.document_id,
      payload: row.payload,
      attempts: row.attempts,
    };
  }

  /** Renews the lease. @returns false when the job has meanwhile gone to another worker or away. */
  async renew(job: IngestionJob, workerId: string): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`update ingestion_jobs set leased_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
          where app_id = ${job.appId} and job_id = ${job.jobId}::uuid and leased_by = ${workerId}::uuid
          returning job_id`,
    );
    return rows.length > 0;
  }

  /** Ends a job. @returns false when this worker no longer holds it: then its result must not be stored. */
  async finish(manager: Queryable, job: IngestionJob, workerId: string): Promise<boolean> {
    const rows = await run(
      manager,
      sql`delete from ingestion_jobs
          where app_id = ${job.appId} and job_id = ${job.jobId}::uuid and leased_by = ${workerId}::uuid
          returning job_id`,
    );
    return rows.length > 0;
  }

  /** Puts a job back for a later try. */
  async retry(job: IngestionJob, workerId: string, delayMs: number, reason: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update ingestion_jobs set state = 'queued', leased_by = null, leased_until = null, last_error = ${reason},
            run_at = clock_timestamp() + make_interval(secs => ${delayMs / 1000}::float8)
          where app_id = ${job.appId} and job_id = ${job.jobId}::uuid and leased_by = ${workerId}::uuid`,
    );
  }

  /** Gives a job up; it stays as a dead letter until its document is requeued or deleted. */
  async bury(manager: Queryable, job: IngestionJob, workerId: string, reason: string): Promise<boolean> {
    const rows = await run(
      manager,
      sql`update ingestion_jobs set state = 'dead', leased_by = null, leased_until = null, last_error = ${reason}
          where app_id = ${job.appId} and job_id = ${job.jobId}::uuid and leased_by = ${workerId}::uuid
          returning job_id`,
    );
    return rows.length > 0;
  }

  /** Frees jobs that a worker held: its own at shutdown, everybody's when no other process can hold one. */
  async release(workerId?: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update ingestion_jobs set state = 'queued', leased_by = null, leased_until = null
          where state = 'running'${workerId === undefined ? empty : sql` and leased_by = ${workerId}::uuid`}`,
    );
  }

  /** Jobs that are queued or running, over all tenants. */
  async waiting(): Promise<number> {
    const [row] = await run<{ count: number }>(
      this.dataSource,
      sql`select count(*)::integer as count from ingestion_jobs where state <> 'dead'`,
    );
    return row?.count ?? 0;
  }
}
