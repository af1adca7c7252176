import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { CompiledSelection } from '../filters/document-predicate.js';

export interface StatisticsInput {
  readonly appId: string;
  /** Keys of the inverted index. */
  readonly keys: readonly bigint[];
  /** Selection whose selectivity is sampled; null: none. */
  readonly sample: SampleInput | null;
}

export interface SampleInput {
  readonly selection: CompiledSelection;
  /** Further predicates over the document `d` to sample. */
  readonly ranges: readonly Sql[];
}

/** Sample size, in documents. */
const SAMPLED_DOCUMENTS = 400;

/**
 * Counts the tenant's chunks and the document frequency of each key, in the order of the keys. With a sample, it also counts
 * how many chunks of the sampled documents pass the selection and each range. The sample is the first documents by the hash
 * of their ids, hence the same each time.
 */
export function statisticsStatement({ appId, keys, sample }: StatisticsInput): Sql {
  return sql`
select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = ${appId}), 0)::float8 as chunk_count,
  array(
    select coalesce(s.chunk_count, 0)
    from unnest(${keys.map(String)}::bigint[]) with ordinality as q(key, position)
    left join term_stats s on s.app_id = ${appId} and s.key = q.key
    order by q.position
  ) as frequencies${sample === null ? empty : sql`,\n  ${sampled(appId, sample)} as sampled`}`;
}

/** An array: chunks of the sample, of the selection, and of each range. */
function sampled(appId: string, { selection, ranges }: SampleInput): Sql {
  const predicates = [selection.test, ...ranges];
  const taken = predicates.map(
    (_, at) => sql`coalesce(sum(s.chunk_count) filter (where s.meets[${raw(String(at + 1))}]), 0)`,
  );
  return sql`(
    select array[coalesce(sum(s.chunk_count), 0), ${join(taken)}]::float8[]
    from (
      select d.chunk_count, array[${join(predicates)}] as meets
      from documents d
      where d.app_id = ${appId} and d.chunk_count > 0
      order by uuid_hash_extended(d.external_id, 0)
      limit ${SAMPLED_DOCUMENTS}
    ) s
  )`;
}
