import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../src/database/run.js';
import { check, idsOf, type Check, type Tools } from './check.js';
import { Collected, type Found } from './found.js';
import { keepRows } from './replaced-rows.js';

interface Damaged {
  readonly id: string;
  readonly note: string;
}

/** Rows of one revision that readers do not see. */
interface Hidden {
  readonly id: string;
  readonly revision: string;
  readonly rows: number;
}

/** Rows per statement. */
const PAGE = 1_000;

const REINGEST = 'Ingest the document again, from its file or its stored text';

/** Tables whose rows have a revision, each with the column of `documents` that lists the visible revisions. */
const VERSIONED = [
  { table: 'chunks', visible: 'live_revisions' },
  { table: 'pages', visible: 'page_revisions' },
] as const;

/** Checks that the row of a document agrees with the document's chunks, pages and job. */
export const DOCUMENT_CHECKS: readonly Check[] = [
  check<Damaged>({
    name: 'documents without a job',
    rule: 'A document that is being processed has a job',
    remedy: 'Queue the document again; mark it as failed if neither its file nor a text is left',
    find: ({ dataSource }, appId, limit) => waitingForNothing(dataSource, appId, limit),
    describe: noteOf,
    repair: ({ rebuild }, appId, damages) => rebuild.queueOrFail(appId, idsOf(damages)),
  }),
  check<Damaged>({
    name: 'documents without chunks',
    rule: 'A completed document with a text has chunks',
    remedy: REINGEST,
    statement: (appId) =>
      sql`select d.external_id::text as id, 'a text of ' || d.text_length || ' characters' as note from documents d
              where d.app_id = ${appId} and d.status = 'completed' and d.progress is null and d.text_length > 0
                and not exists (select 1 from chunks c where c.app_id = ${appId} and c.document_id = d.external_id
                  and c.revision = any(d.live_revisions))`,
    describe: noteOf,
    repair: reingest,
  }),
  check<Damaged>({
    name: 'numbers of chunks',
    rule: 'The chunks of a document are numbered from 0 without gaps',
    remedy: REINGEST,
    statement: (appId) =>
      sql`select d.external_id::text as id, n.held || ' chunks, numbered ' || n.first || ' to ' || n.last as note
              from documents d join (${numbered(appId)}) n on n.document_id = d.external_id
              where d.app_id = ${appId} and d.progress is null
                and (n.first <> 0 or n.last <> n.held - 1 or n.numbers <> n.held)`,
    describe: noteOf,
    repair: reingest,
  }),
  check<Damaged>({
    name: 'counts of chunks',
    rule: 'The recorded number of chunks of a document is correct',
    remedy: 'Count them again; if some are missing, ingest the document again',
    statement: (appId) =>
      // Documents with a text but without chunks are left to an earlier check.
      sql`select d.external_id::text as id, d.chunk_count || ' instead of ' || coalesce(n.held, 0) as note
              from documents d left join (${numbered(appId)}) n on n.document_id = d.external_id
              where d.app_id = ${appId} and d.progress is null and d.chunk_count <> coalesce(n.held, 0)
                and (n.held = n.last + 1 or (n.held is null and d.text_length = 0))`,
    describe: noteOf,
    async repair({ dataSource, rebuild }, appId, damages) {
      const ids = idsOf(damages);
      // The last chunks may be lost.
      const fewer = await run<{ id: string }>(
        dataSource,
        sql`select d.external_id::text as id from documents d
            where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[]) and d.chunk_count > (
              select count(*) from chunks c
              where c.app_id = ${appId} and c.document_id = d.external_id and c.revision = any(d.live_revisions))`,
      );
      await rebuild.queue(appId, idsOf(fewer));
      const others = ids.filter((id) => !fewer.some((one) => one.id === id));
      await run(
        dataSource,
        sql`update documents d set chunk_count = (select count(*) from chunks c
              where c.app_id = ${appId} and c.document_id = d.external_id and c.revision = any(d.live_revisions))
            where d.app_id = ${appId} and d.external_id = any(${others}::uuid[])`,
      );
    },
  }),
  ...VERSIONED.map(({ table, visible }) =>
    check<Hidden>({
      name: `${table} that no reader sees`,
      rule: `Every row of ${table} is visible, or belongs to a job`,
      remedy: 'Delete the rows, and keep a copy; what readers see does not change',
      find: ({ dataSource }, appId, limit) => hidden(dataSource, appId, table, visible, limit),
      describe: ({ id, revision, rows }) => `${id}: ${rows} rows of revision ${revision}`,
      async repair({ dataSource }, appId, damages) {
        for (const { id, revision } of damages) {
          await keepRows(dataSource, appId, table, id);
          await run(
            dataSource,
            sql`delete from ${raw(table)} t
                  where t.app_id = ${appId} and t.document_id = ${id}::uuid and t.revision = ${revision}::bigint
                    and not exists (select 1 from documents d where d.app_id = ${appId} and d.external_id = t.document_id
                      and t.revision = any(d.${raw(visible)}))`,
          );
        }
      },
    }),
  ),
];

function noteOf({ id, note }: Damaged): string {
  return `${id}: ${note}`;
}

async function reingest({ rebuild }: Tools, appId: string, damages: readonly Damaged[]): Promise<void> {
  await rebuild.queue(appId, idsOf(damages));
}

function numbered(appId: string): Sql {
  return sql`select c.document_id, count(*)::integer as held, count(distinct c.chunk_number)::integer as numbers,
      min(c.chunk_number) as first, max(c.chunk_number) as last
    from chunks c
    join documents v on v.app_id = ${appId} and v.external_id = c.document_id and c.revision = any(v.live_revisions)
    where c.app_id = ${appId} group by c.document_id`;
}

/** Returns the documents that wait for a job although no job exists. */
async function waitingForNothing(
  dataSource: DataSource,
  appId: string,
  limit: number,
): Promise<Found<Damaged>> {
  const found = new Collected<Damaged>(limit);
  const waiting = async (ids: readonly string[] | null, after: string): Promise<Damaged[]> => {
    const rows = await run<{ id: string; status: string }>(
      dataSource,
      sql`select d.external_id::text as id, d.status from documents d
          where d.app_id = ${appId} and (d.status = 'processing' or d.progress is not null)
            and d.external_id > ${after}::uuid and (${ids}::uuid[] is null or d.external_id = any(${ids}::uuid[]))
          order by d.external_id limit ${PAGE}`,
    );
    const jobs = await run<{ id: string }>(
      dataSource,
      sql`select document_id::text as id from ingestion_jobs
          where app_id = ${appId} and state <> 'dead' and document_id = any(${rows.map(({ id }) => id)}::uuid[])`,
    );
    const held = new Set(jobs.map(({ id }) => id));
    return rows.map(({ id, status }) => ({ id, note: held.has(id) ? '' : status }));
  };
  for (let after = FIRST_ID; ;) {
    const page = await waiting(null, after);
    const last = page.at(-1);
    if (last === undefined) return found;
    after = last.id;
    const without = page.filter(({ note }) => note !== '').map(({ id }) => id);
    // A job may have ended between the two statements.
    const again = without.length === 0 ? [] : await waiting(without, FIRST_ID);
    for (const { id, note } of again) if (note !== '') found.add({ id, note });
  }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Returns the rows whose revision is not visible and does not belong to a job. */
async function hidden(
  dataSource: DataSource,
  appId: string,
  table: string,
  visible: string,
  limit: number,
): Promise<Found<Hidden>> {
  const found = new Collected<Hidden>(limit);
  const look = async (ids: readonly string[] | null): Promise<Hidden[]> => {
    const rows = await run<Hidden>(
      dataSource,
      sql`select t.document_id::text as id, t.revision::text as revision, count(*)::integer as rows from ${raw(table)} t
          join documents d on d.app_id = ${appId} and d.external_id = t.document_id
          where t.app_id = ${appId} and t.revision <> all(d.${raw(visible)})
            and (${ids}::uuid[] is null or t.document_id = any(${ids}::uuid[]))
          group by t.document_id, t.revision order by t.document_id`,
    );
    const jobs = await run<{ revision: string }>(
      dataSource,
      sql`select revision::text as revision from ingestion_jobs
          where app_id = ${appId} and document_id = any(${rows.map(({ id }) => id)}::uuid[])`,
    );
    const staging = new Set(jobs.map(({ revision }) => revision));
    return rows.filter(({ revision }) => !staging.has(revision));
  };
  const without = await look(null);
  if (without.length === 0) return found;
  // A job may have ended between the two statements.
  for (const rows of await look(without.map(({ id }) => id))) found.add(rows);
  return found;
}
