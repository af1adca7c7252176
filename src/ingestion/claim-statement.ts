import sql, { empty, type Sql } from 'sql-template-tag';
import type { IngestionJob } from './job.js';

/** Duration of a lease that is not renewed. */
const LEASE_SECONDS = 30;

/** End of a lease that begins now. */
export const LEASE_END = sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;

/**
 * Maximum delay of a long job. A job of the same tenant does not overtake the long job if it is enqueued later than
 * this delay.
 */
export const MAX_SIZE_DELAY_SECONDS = 600;

/**
 * Maximum source size of a short document, in bytes. The job of a source of this size gets half of the maximum delay.
 */
export const SHORT_BYTES = 256 * 1024;

/**
 * Returns the delay that is added to the enqueue time of a job. The sum is the position of the job in the queue of its
 * tenant. A short document therefore overtakes a long document that was enqueued shortly before. The sum does not
 * change while the job waits, so an index can keep the order. The upper bound of the delay prevents starvation of long
 * jobs.
 *
 * @param size bytes of the source
 */
export function sizeDelay(size: Sql): Sql {
  return sql`make_interval(secs => ${MAX_SIZE_DELAY_SECONDS}::float8 * ${size} / (${size} + ${SHORT_BYTES}::float8))`;
}

/** Filter for the jobs that a worker claims. An empty object matches all jobs. */
export interface WantedJob {
  /** Maximum source size in bytes; null for no limit. */
  readonly maxBytes?: number | null;
  /** Whether to claim only jobs of posted texts, which have no file. */
  readonly isPosted?: boolean;
}

const POSTED = sql`j.payload -> 'source' ->> 'kind' = 'posted'`;

/**
 * Condition: no queued or running job of the document has a lower revision. The jobs of a document run in this order.
 */
const NO_EARLIER_JOB = sql`not exists (
          select from ingestion_jobs o
          where o.app_id = j.app_id and o.document_id = j.document_id and o.revision < j.revision
            and o.state <> 'dead')`;

/**
 * Leases one job, and records the time of the claim for its tenant.
 *
 * Jobs with an expired lease have priority. If no lease has expired, a skip scan finds the tenants with queued jobs.
 * The scan needs one index lookup per tenant, so its cost grows with the number of waiting tenants and not with the
 * number of jobs. The claim leases a job of the least recently served tenant that has a due job. Concurrent claims skip
 * each other's locked rows. Two concurrent claims may lease jobs of the same tenant.
 */
export function claimStatement(workerId: string, { maxBytes = null, isPosted = false }: WantedJob): Sql {
  const wanted = sql`${maxBytes === null ? empty : sql` and j.size <= ${maxBytes}`}${isPosted ? sql` and ${POSTED}` : empty}`;
  return sql`with recursive abandoned as (
        select j.app_id, j.job_id from ingestion_jobs j
        where j.state = 'running' and j.leased_until < clock_timestamp()${wanted}
          and ${NO_EARLIER_JOB}
        order by j.leased_until
        limit 1
        for update of j skip locked),
      waiting as (
        (select app_id from ingestion_jobs where state = 'queued' order by app_id limit 1)
        union all
        select (select j.app_id from ingestion_jobs j
                where j.state = 'queued' and j.app_id > w.app_id order by j.app_id limit 1)
        from waiting w where w.app_id is not null),
      due as (
        select j.app_id, j.job_id
        from (
          select w.app_id from waiting w left join ingestion_turns t on t.app_id = w.app_id
          where w.app_id is not null
          order by t.taken_at nulls first, w.app_id) tenant
        cross join lateral (
          select j.app_id, j.job_id from ingestion_jobs j
          where j.app_id = tenant.app_id and j.state = 'queued' and j.run_at <= clock_timestamp()${wanted}
            and ${NO_EARLIER_JOB}
          order by j.order_at, j.revision
          limit 1
          for update of j skip locked) j
        where not exists (select from abandoned)
        limit 1),
      next as (
        select app_id, job_id from abandoned union all select app_id, job_id from due),
      turn as (
        insert into ingestion_turns (app_id, taken_at) select app_id, clock_timestamp() from next
        on conflict (app_id) do update set taken_at = excluded.taken_at)
      ${leaseNext(workerId)}`;
}

/** Maximum size of a text that is processed in a batch with others. */
const MAX_BATCHED_BYTES = 8 * 1024;

/** Number of queued jobs of a tenant that are searched for jobs that fit into the batch. */
const SCAN_LIMIT = 64;

/** Whether the source of a job is a short posted text and no earlier attempt has failed. */
export function isShortText({ size, payload, attempts }: IngestionJob): boolean {
  return attempts <= 1 && size <= MAX_BATCHED_BYTES && payload.source.kind === 'posted';
}

/** Leases those of the tenant's next jobs that satisfy {@link isShortText}. */
export function claimMoreStatement(workerId: string, appId: string, limit: number): Sql {
  return sql`with next as (
        select j.app_id, j.job_id from ingestion_jobs j
        where j.app_id = ${appId} and j.job_id = any(array(
            select n.job_id from ingestion_jobs n
            where n.app_id = ${appId} and n.state = 'queued' and n.run_at <= clock_timestamp()
            order by n.order_at, n.revision limit ${SCAN_LIMIT}))
          and j.state = 'queued' and j.attempts <= 0 and j.size <= ${MAX_BATCHED_BYTES}
          and ${POSTED} and ${NO_EARLIER_JOB}
        order by j.order_at, j.revision
        limit ${limit}
        for update of j skip locked)
      ${leaseNext(workerId)}`;
}

function leaseNext(workerId: string): Sql {
  return sql`update ingestion_jobs j set state = 'running', attempts = j.attempts + 1, leased_by = ${workerId}::uuid,
        leased_until = ${LEASE_END}
      from next where j.app_id = next.app_id and j.job_id = next.job_id
      returning j.app_id, j.job_id, j.document_id, j.revision, j.payload, j.size, j.attempts`;
}
