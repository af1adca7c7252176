import sql, { raw } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../src/database/run.js';
import type { ObjectTombstones, Tombstone } from '../../src/ingestion/object-tombstones.js';
import { check, Collected, foundBy, type Check } from './check.js';

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
export function queueChecks(dataSource: DataSource, tombstones: ObjectTombstones): Check[] {
  return [
    check<LostJob>({
      name: 'jobs without documents',
      rule: 'The document of a job exists',
      remedy: 'Delete the job',
      find: async (appId, limit) => {
        const found = new Collected<LostJob>(limit);
        for (const job of await lostJobs(dataSource, appId)) found.add(job);
        return found;
      },
      describe: ({ id, documentId }) => `job ${id} of ${documentId}`,
      async repair(appId, damages) {
        await run(
          dataSource,
          sql`delete from ingestion_jobs where app_id = ${appId} and job_id = any(${damages.map(({ id }) => id)}::uuid[])`,
        );
      },
    }),
    check<LostJob>({
      name: 'jobs without a worker',
      rule: 'A running job has a worker that renews its lease',
      remedy: 'Queue the job again',
      find: (appId, limit) =>
        foundBy(
          dataSource,
          sql`select job_id::text as id, document_id::text as "documentId" from ingestion_jobs
              where app_id = ${appId} and state = 'running' and
                (leased_until is null or leased_until < statement_timestamp() - ${LEASE_EXPIRED})`,
          limit,
        ),
      describe: ({ id, documentId }) => `job ${id} of ${documentId}`,
      async repair(appId, damages) {
        await run(
          dataSource,
          sql`update ingestion_jobs set state = 'queued', leased_by = null, leased_until = null
              where app_id = ${appId} and job_id = any(${damages.map(({ id }) => id)}::uuid[]) and state = 'running'
                and (leased_until is null or leased_until < statement_timestamp() - ${LEASE_EXPIRED})`,
        );
      },
    }),
    check<Tombstone & { readonly since: Date }>({
      name: 'deletions of files',
      rule: 'A deleted file is gone from the store within an hour',
      remedy: 'Delete it now; if the store refuses, see its message in the log',
      find: (appId, limit) =>
        foundBy(
          dataSource,
          sql`select app_id as "appId", key, due_at as since from object_removals
              where app_id = ${appId} and due_at < statement_timestamp() - ${SWEPT_WITHIN} order by due_at`,
          limit,
        ),
      describe: ({ key, since }) => `${key}, due ${since.toISOString()}`,
      async repair(_, damages) {
        for (const tombstone of damages) await tombstones.deleteObjects(tombstone);
      },
    }),
  ];
}

/** Returns the checks of the whole installation for interrupted commands. */
export function interruptedChecks(dataSource: DataSource): Check[] {
  const states = (pattern: string) =>
    sql`select name, value::text as state from service_state where name like ${pattern} order by name`;
  const describe = ({ name, state }: { readonly name: string; readonly state: string }): string =>
    `${name}: ${state}`;
  return [
    check({
      name: 'restores',
      rule: 'Every restore has ended',
      remedy: 'Run "lectern restore" again with the same export, or delete the tenant',
      find: (_, limit) => foundBy(dataSource, states('restore:%'), limit),
      describe,
    }),
    check({
      name: 'reindexing',
      rule: 'Every reindexing has ended',
      remedy: 'Run "lectern reindex" again',
      find: (_, limit) => foundBy(dataSource, states('next\\_%'), limit),
      describe,
    }),
  ];
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
