import sql, { empty, type Sql } from 'sql-template-tag';
import type { IngestionJob } from './job.js';

/** Seconds that a claimed job stays with its worker without a sign of life. */
const LEASE_SECONDS = 30;

/** Where a lease that begins now ends. */
export const LEASE_END = sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;

/** No job that comes this many seconds after another of its tenant overtakes it, however long that one is. */
export const MAX_SIZE_DELAY_SECONDS = 600;

/** Bytes of a source up to which a document is short; one of this length has half of the longest delay. */
export const SHORT_BYTES = 256 * 1024;

/**
 * What is added to the time at which a job comes, for its place among the jobs of its tenant: a short document overtakes
 * a long one that came before, unless that has waited for long. The sum never changes, so that an index keeps the order;
 * its bound keeps long jobs from starving.
 *
 * @param size bytes of the source
 */
export function sizeDelay(size: Sql): Sql {
  return sql`make_interval(secs => ${MAX_SIZE_DELAY_SECONDS}::float8 * ${size} / (${size} + ${SHORT_BYTES}::float8))`;
}

/** The jobs of one document run in the order of their revisions. */
const FIRST_OF_ITS_DOCUMENT = sql`not exists (
          select from ingestion_jobs o
          where o.app_id = j.app_id and o.document_id = j.document_id and o.revision < j.revision
            and o.state <> 'dead')`;

/**
 * Leases one job and writes down that its tenant had its turn.
 *
 * A job whose worker has died is first. Otherwise the tenants that have jobs are found by a skip scan, one look into the
 * index for each, and asked in the order of their turns, until one has a job that is due: so the cost goes with the
 * number of tenants that wait, not with the number of jobs. Workers that ask at the same moment do not wait for each
 * other's jobs, and may both take one of the same tenant.
 *
 * @param maxBytes jobs with longer sources are passed over; null: none are
 */
export function claimStatement(workerId: string, maxBytes: number | null): Sql {
  const shortEnough = maxBytes === null ? empty : sql` and j.size <= ${maxBytes}`;
  return sql`with recursive abandoned as (
        select j.app_id, j.job_id from ingestion_jobs j
        where j.state = 'running' and j.leased_until < clock_timestamp()${shortEnough}
          and ${FIRST_OF_ITS_DOCUMENT}
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
          where j.app_id = tenant.app_id and j.state = 'queued' and j.run_at <= clock_timestamp()${shortEnough}
            and ${FIRST_OF_ITS_DOCUMENT}
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

/** Bytes of a text that is done together with others. */
const TOGETHER_BYTES = 8 * 1024;

/** Jobs that are next in the order of a tenant, of which those that can be done together are taken. */
const LOOKED_AT = 64;

/** Whether a job that is tried for the first time brings no more than a short text. */
export function isShortText({ size, payload, attempts }: IngestionJob): boolean {
  return attempts <= 1 && size <= TOGETHER_BYTES && payload.source.kind === 'posted';
}

/** Leases jobs that are next after one of the same tenant, as far as they are {@link isShortText}. */
export function claimMoreStatement(workerId: string, appId: string, most: number): Sql {
  return sql`with next as (
        select j.app_id, j.job_id from ingestion_jobs j
        where j.app_id = ${appId} and j.job_id = any(array(
            select n.job_id from ingestion_jobs n
            where n.app_id = ${appId} and n.state = 'queued' and n.run_at <= clock_timestamp()
            order by n.order_at, n.revision limit ${LOOKED_AT}))
          and j.state = 'queued' and j.attempts <= 0 and j.size <= ${TOGETHER_BYTES}
          and j.payload -> 'source' ->> 'kind' = 'posted' and ${FIRST_OF_ITS_DOCUMENT}
        order by j.order_at, j.revision
        limit ${most}
        for update of j skip locked)
      ${leaseNext(workerId)}`;
}

function leaseNext(workerId: string): Sql {
  return sql`update ingestion_jobs j set state = 'running', attempts = j.attempts + 1, leased_by = ${workerId}::uuid,
        leased_until = ${LEASE_END}
      from next where j.app_id = next.app_id and j.job_id = next.job_id
      returning j.app_id, j.job_id, j.document_id, j.revision, j.payload, j.size, j.attempts`;
}
