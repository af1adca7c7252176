import sql, { join, raw, type Sql } from 'sql-template-tag';
import { LIVE, type SearchInput } from './search-statements.js';

/**
 * The tenant's corpus and the chunk counts of the query's terms, in their order; `all_chunks` are those of all tenants,
 * as PostgreSQL last estimated them (-1: never).
 */
export function statisticsStatement(appId: string, terms: readonly string[]): Sql {
  return sql`
select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = ${appId}), 0)::float8 as chunk_count,
  coalesce((select s.total_length from corpus_stats s where s.app_id = ${appId}), 0)::float8 as total_length,
  (select r.reltuples from pg_class r where r.oid = 'chunks'::regclass)::float8 as all_chunks,
  array(
    select coalesce(s.chunk_count, 0)
    from unnest(${terms}::text[]) with ordinality as q(term, ord)
    left join term_stats s on s.app_id = ${appId} and s.term = q.term
    order by q.ord
  ) as holding`;
}

export interface SampleInput extends Pick<SearchInput, 'appId' | 'selection' | 'vector' | 'index'> {
  /** Predicates over `d` whose shares are asked for as well. */
  readonly parts: readonly Sql[];
  readonly documents: number;
  /** 1 to 1,000. */
  readonly neighbours: number;
}

/**
 * What part of the tenant's chunks matches: of those of the first documents in the order of the hashes of their ids,
 * which make the same fair sample every time, and of the chunks nearest to the query. Of the former also how many each of
 * the parts takes. The nearest come from one short walk through the index, so that what it finds of other tenants' chunks
 * counts as not matching and is not read.
 */
export function sampleStatement(input: SampleInput): Sql {
  const { appId, selection, parts, documents, neighbours, index, vector } = input;
  const taken = [selection.test, ...parts].map(
    (_, part) => sql`coalesce(sum(s.chunk_count) filter (where s.meets[${raw(String(part + 1))}]), 0)`,
  );
  return sql`
with tuned as materialized (
  select set_config('hnsw.iterative_scan', 'off', true) || set_config('hnsw.ef_search', ${String(neighbours)}, true) as value
),
near as materialized (
  select c.app_id, c.document_id, c.revision
  from chunks c
  where (select value from tuned) is not null and c.app_id = ${appId}
  order by ${index.order(vector)}
  limit ${neighbours}
),
drawn as materialized (
  select d.chunk_count, array[${join([selection.test, ...parts])}] as meets
  from documents d
  where d.app_id = ${appId} and d.chunk_count > 0
  order by uuid_hash_extended(d.external_id, 0)
  limit ${documents}
)
select
  (select coalesce(sum(s.chunk_count), 0) from drawn s)::float8 as chunks,
  (select array[${join(taken)}] from drawn s)::float8[] as taken,
  ${neighbours}::float8 as near,
  (select count(*) from near c join documents d on ${LIVE} where ${selection.test})::float8 as near_matching`;
}
