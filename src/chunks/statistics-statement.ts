import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { CompiledSelection } from '../filters/document-predicate.js';

export interface StatisticsInput {
  readonly appId: string;
  /** Of the inverted index. */
  readonly keys: readonly bigint[];
  /** What is to be known of a selection, too. */
  readonly sample: SampleInput | null;
}

export interface SampleInput {
  readonly selection: CompiledSelection;
  /** Predicates over `d` whose shares are asked for as well. */
  readonly parts: readonly Sql[];
}

/** Documents of a tenant that a selection is tried on. */
const SAMPLED_DOCUMENTS = 400;

/**
 * The chunks of the tenant, and how many of them are under each key, in the order of the keys. Of a sample of the tenant's
 * documents, which are the first in the order of the hashes of their ids and so the same each time: their chunks, and the
 * chunks that the selection and each of its parts take of them.
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
  ) as holding${sample === null ? empty : sql`,\n  ${sampled(appId, sample)} as sampled`}`;
}

/** An array: the chunks of the sample, those of the selection, and those of each part. */
function sampled(appId: string, { selection, parts }: SampleInput): Sql {
  const predicates = [selection.test, ...parts];
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
