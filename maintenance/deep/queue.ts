import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../src/database/run.js';
import type { Tombstone } from '../../src/ingestion/object-tombstones.js';
import { check, type Check } from './check.js';
import { Collected } from './found.js';

interface LostJob {
  readonly id: string;
  readonly documentId: string;
}

/**
 * Time since the expiry of a lease after which the job counts as abandoned. Normally another worker takes over within a
 * minute.
 */
const LEASE_EXPIRED = raw(`interval '5 minutes'`);

/** Time after which an overdue tombstone counts as missed by the sweep. Normally the sweep runs every minute. */
const SWEPT_WITHIN = raw(`interval '1 hour'`);

/** Checks jobs, deletions of files, and commands that were interrupted. */
export const QUEUE_CHECKS: readonly Check[] = [
  check<LostJob>({
    name: 'jobs without documents',
    rule: 'The document of a job exists',
    remedy: 'Delete the job',
    find: async ({ dataSource }, appId, limit) => {
      const found = new Collected<LostJob>(limit);
      for (const job of await lostJobs(dataSource, appId)) found.add(job);
      return found;
    },
    describe: ({ id, documentId }) => `job ${id} of ${documentId}`,
    correction: (appId, ids) =>
      sql`delete from ingestion_jobs where app_id = ${appId} and job_id = any(${ids}::uuid[])`,
  }),
  check<LostJob>({
    name: 'jobs without a worker',
    rule: 'A running job has a worker that renews its lease',
    remedy: 'Queue the job again',
    statement: (appId) =>
      sql`select job_id::text as id, document_id::text as "documentId" from ingestion_jobs
              where app_id = ${appId} and state = 'running' and
                (leased_until is null or leased_until < statement_timestamp() - ${LEASE_EXPIRED})`,
    describe: ({ id, documentId }) => `job ${id} of ${documentId}`,
    correction: (appId, ids) =>
      sql`update ingestion_jobs set state = 'queued', leased_by = null, leased_until = null
              where app_id = ${appId} and job_id = any(${ids}::uuid[]) and state = 'running'
                and (leased_until is null or leased_until < statement_timestamp() - ${LEASE_EXPIRED})`,
  }),
  check<Tombstone & { readonly since: Date }>({
    name: 'deletions of files',
    rule: 'A deleted file is gone from the store within an hour',
    remedy: 'Delete it now; if the store refuses, see its message in the log',
    statement: (appId) =>
      sql`select app_id as "appId", key, due_at as since from object_removals
              where app_id = ${appId} and due_at < statement_timestamp() - ${SWEPT_WITHIN} order by due_at`,
    describe: ({ key, since }) => `${key}, due ${since.toISOString()}`,
    async repair({ tombstones }, _, damages) {
      for (const tombstone of damages) await tombstones.deleteObjects(tombstone);
    },
  }),
];

interface State {
  readonly name: string;
  readonly state: string;
}

/** Checks of the whole installation for interrupted commands. */
export const INTERRUPTED_CHECKS: readonly Check[] = [
  check<State>({
    name: 'restores',
    rule: 'Every restore has ended',
    remedy: 'Run "lectern restore" again with the same export, or delete the tenant',
    statement: () => states('restore:%'),
    describe: ({ name, state }) => `${name}: ${state}`,
  }),
  check<State>({
    name: 'reindexing',
    rule: 'Every reindexing has ended',
    remedy: 'Run "lectern reindex" again',
    statement: () => states('next\\_%'),
    describe: ({ name, state }) => `${name}: ${state}`,
  }),
];

function states(pattern: string): Sql {
  return sql`select name, value::text as state from service_state where name like ${pattern} order by name`;
}

/**
 * Returns jobs whose document does not exist. Uses two statements, because a cluster stores jobs and documents on
 * different nodes.
 */
async function lostJobs(dataSource: DataSource, appId: string): Promise<LostJob[]> {
  const jobs = await run<LostJob>(
    dataSource,
    sql`select job_id::text as id, document_id::text as "documentId" from ingestion_jobs where app_id = ${appId}`,
  );
  const ids = [...new Set(jobs.map(({ documentId }) => documentId))];
  const rows = await run<{ id: string }>(
    dataSource,
    sql`select external_id::text as id from documents where app_id = ${appId} and external_id = any(${ids}::uuid[])`,
  );
  const known = new Set(rows.map(({ id }) => id));
  const lost = jobs.filter(({ documentId }) => !known.has(documentId));
  if (lost.length === 0) return lost;
  // A document and its job may have been deleted between the two statements.
  const left = await run<{ id: string }>(
    dataSource,
    sql`select job_id::text as id from ingestion_jobs
        where app_id = ${appId} and job_id = any(${lost.map(({ id }) => id)}::uuid[])`,
  );
  const present = new Set(left.map(({ id }) => id));
  return lost.filter(({ id }) => present.has(id));
}
