import sql, { empty, type Sql } from 'sql-template-tag';
import type { IngestionJob } from './job.js';

/** Duration of a lease without renewal. */
const LEASE_SECONDS = 30;

/** End of a lease that begins now. */
export const LEASE_END = sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;

/** Maximum delay of a long job. Jobs of the same tenant that are enqueued later than that do not overtake it. */
export const MAX_SIZE_DELAY_SECONDS = 600;

/** Maximum source size of a short document, in bytes. A source of this size gets half of the maximum delay. */
export const SHORT_BYTES = 256 * 1024;

/**
 * Delay that is added to a job's enqueue time for its position in the tenant's queue: a short document overtakes a long
 * one that was enqueued shortly before. The sum is constant, so an index can keep the order. The upper bound prevents
 * starvation of long jobs.
 *
 * @param size bytes of the source
 */
export function sizeDelay(size: Sql): Sql {
  return sql`make_interval(secs => ${MAX_SIZE_DELAY_SECONDS}::float8 * ${size} / (${size} + ${SHORT_BYTES}::float8))`;
}

/** Jobs that a worker claims; by default all. */
export interface WantedJob {
  /** Maximum source size in bytes; null: no limit. */
  readonly maxBytes?: number | null;
  /** Only posted texts, which have no file. */
  readonly isPosted?: boolean;
}

const POSTED = sql`j.payload -> 'source' ->> 'kind' = 'posted'`;

/** The jobs of a document run in the order of their revisions. */
const NO_EARLIER_JOB = sql`not exists (
          select from ingestion_jobs o
          where o.app_id = j.app_id and o.document_id = j.document_id and o.revision < j.revision
            and o.state <> 'dead')`;

/**
 * Leases one job and records the turn of its tenant.
 *
 * Jobs with an expired lease have priority. Otherwise a skip scan finds the tenants with queued jobs, one index lookup
 * per tenant. The least recently served tenant with a due job gets the turn, so the cost grows with the number of waiting
 * tenants, not with the number of jobs. Concurrent claims skip each other's locked rows; two of them may lease jobs of
 * the same tenant.
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

/** Number of queued jobs of a tenant that are scanned for batchable ones. */
const SCAN_LIMIT = 64;

/** Whether a job is the first attempt at a short posted text. */
export function isShortText({ size, payload, attempts }: IngestionJob): boolean {
  return attempts <= 1 && size <= MAX_BATCHED_BYTES && payload.source.kind === 'posted';
}

/** Leases the next jobs of a tenant that satisfy {@link isShortText}. */
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
