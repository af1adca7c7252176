import sql, { raw } from 'sql-template-tag';
import { everyoneReads } from '../../src/access/visible-to.js';
import { withoutDeadline } from '../../src/database/deadline.js';
import { run } from '../../src/database/run.js';
import { recountStatistics } from '../recount-statistics.js';
import { check, idsOf, type Check } from './check.js';

interface Miscount {
  readonly id: string;
  readonly recorded: number | null;
  readonly counted: number | null;
}

const SEPARATOR = raw('chr(31)');

interface Misplaced {
  readonly id: string;
  readonly path: string | null;
  readonly folder: string | null;
}

/** Checks stored numbers and derived rows against the rows from which they are computed. */
export const STATISTICS_CHECKS: readonly Check[] = [
  check<Miscount>({
    name: 'positions in conversations',
    rule: 'The next position of a chat or conversation is after its last turn',
    remedy: 'Move it after the last turn',
    // The last turns of a conversation of the OpenAI protocol may have been deleted.
    statement: (
      appId,
    ) => sql`select c.conversation_id::text as id, c.next_position as recorded, coalesce(t.counted, 0) as counted
      from conversations c left join (
        select conversation_id, (max(position) + 1)::integer as counted from turns where app_id = ${appId} and version = 0
        group by conversation_id
      ) t on t.conversation_id = c.conversation_id
      where c.app_id = ${appId}
        and (c.next_position < coalesce(t.counted, 0) or (c.kind = 'chat' and c.next_position > coalesce(t.counted, 0)))`,
    describe: miscount,
    correction: (appId, ids) => sql`update conversations c set next_position = coalesce((
        select max(t.position) + 1 from turns t
        where t.app_id = ${appId} and t.conversation_id = c.conversation_id and t.version = 0), 0)
      where c.app_id = ${appId} and c.conversation_id = any(${ids}::uuid[])`,
  }),
  check<Misplaced>({
    name: 'paths of documents',
    rule: 'A document has the path of its folder',
    remedy: 'Give the document the path of its folder',
    statement: (appId) =>
      sql`select d.external_id::text as id, d.folder_path as path, f.path as folder from documents d
              left join folders f on f.app_id = ${appId} and f.folder_id = d.folder_id
              where d.app_id = ${appId} and d.folder_path is distinct from f.path
                and (d.folder_id is null or f.folder_id is not null)`,
    describe: ({ id, path, folder }) => `${id} at ${path ?? '/'}, its folder at ${folder ?? '/'}`,
    correction: (appId, ids) =>
      sql`update documents d set folder_path = (
                select f.path from folders f where f.app_id = ${appId} and f.folder_id = d.folder_id)
              where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[])`,
  }),
  check<{ readonly path: string }>({
    name: 'parents of folders',
    rule: 'The parent of a folder exists',
    remedy: 'Restore the parent folders',
    statement: (appId) =>
      // Only the first shard of a tenant has all folders. Other shards have copies of some folders.
      sql`select f.path from folders f
              where f.app_id = ${appId} and strpos(${appId}::text, ${SEPARATOR}) = 0 and f.path like '/%/%'
                and not exists (select 1 from folders p
                  where p.app_id = ${appId} and p.path = regexp_replace(f.path, '/[^/]*$', ''))`,
    describe: ({ path }) => path,
    async repair({ dataSource }, appId, damages) {
      const parents = damages.map(({ path }) => path.slice(0, path.lastIndexOf('/')));
      await run(
        dataSource,
        sql`insert into folders (app_id, path) select ${appId}, p from unnest(${[...new Set(parents)]}::text[]) p
              on conflict do nothing`,
      );
    },
  }),
  // A trigger writes these rows, and range filters read them.
  check<{ readonly id: string }>({
    name: 'ordered metadata',
    rule: 'The rows for range filters match the metadata',
    remedy: 'Write the rows again from the metadata',
    statement: (appId) =>
      sql`select d.external_id::text as id from documents d
            where d.app_id = ${appId} and exists (
              (select o.name, o.spread, o.number, o.text from metadata_order o
               where o.app_id = ${appId} and o.document_id = d.external_id
               except all select m.name, m.spread, m.number, m.text from metadata_order_of(d.metadata, d.metadata_types) m)
              union all
              (select m.name, m.spread, m.number, m.text from metadata_order_of(d.metadata, d.metadata_types) m
               except all select o.name, o.spread, o.number, o.text from metadata_order o
               where o.app_id = ${appId} and o.document_id = d.external_id))`,
    describe: ({ id }) => id,
    async repair({ dataSource }, appId, damages) {
      const ids = idsOf(damages);
      await dataSource.transaction(async (manager) => {
        await run(
          manager,
          sql`delete from metadata_order where app_id = ${appId} and document_id = any(${ids}::uuid[])`,
        );
        await run(
          manager,
          sql`insert into metadata_order (app_id, document_id, name, spread, number, text)
              select d.app_id, d.external_id, o.name, o.spread, o.number, o.text
              from documents d cross join lateral metadata_order_of(d.metadata, d.metadata_types) o
              where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[])`,
        );
      });
    },
  }),
  // Scores depend on document frequencies: among all chunks, and among chunks that everyone may read.
  check<Miscount>({
    name: 'corpus statistics',
    rule: 'The recorded numbers of chunks, and of chunks with each term, are correct, also of those that everyone may read',
    remedy: 'Count the chunks of the tenant again',
    statement: (appId) =>
      sql`with visible as (
              select c.terms, ${everyoneReads(sql`d.readers`)} as shared from chunks c
              join documents d on d.app_id = ${appId} and d.external_id = c.document_id and c.revision = any(d.live_revisions)
              where c.app_id = ${appId}),
            terms as (
              select coalesce(s.key, h.key)::text as key, s.chunk_count, s.shared_count, h.counted, h.shared
              from (select key, chunk_count, shared_count from term_stats where app_id = ${appId}) s
              full join (
                select t.key, count(*)::integer as counted, (count(*) filter (where v.shared))::integer as shared
                from visible v, unnest(v.terms) as t(key) group by 1) h on h.key = s.key),
            counts as (
              select 'document ' || d.external_id as id, d.in_shared_statistics::integer as recorded,
                (${everyoneReads(sql`d.readers`)})::integer as counted
              from documents d where d.app_id = ${appId} and d.chunk_count > 0
              union all
              select 'chunks', coalesce((select chunk_count from corpus_stats where app_id = ${appId}), 0)::integer,
                (select count(*)::integer from visible)
              union all
              select 'chunks for everyone', coalesce((select shared_count from corpus_stats where app_id = ${appId}), 0)::integer,
                (select count(*)::integer from visible where shared)
              union all
              select 'term ' || key, chunk_count, counted from terms
              union all
              select 'term ' || key || ' for everyone', shared_count, shared from terms)
            select id, recorded, counted from counts where recorded is distinct from counted`,
    describe: miscount,
    async repair({ dataSource }, appId) {
      await dataSource.transaction((manager) =>
        withoutDeadline(manager, () => recountStatistics(manager, appId)),
      );
    },
  }),
];

function miscount({ id, recorded, counted }: Miscount): string {
  return `${id}: ${recorded ?? 'none'} instead of ${counted ?? 'none'}`;
}
