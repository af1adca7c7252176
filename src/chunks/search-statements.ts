import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { everyoneReads } from '../access/visible-to.js';
import type { StatementSettings } from '../database/run.js';
import { type CompiledSelection, type DocumentRange, rangeRows } from '../filters/document-predicate.js';
import { hasStores } from '../filters/store-folders.js';
import { GIVEN_FILENAME, GIVEN_METADATA } from '../filters/given-spelling.js';
import { vectorBytes, sparseText, type VectorIndex } from './vectors/vector-column.js';
import { type FullScanStrategy, type HnswStrategy, lexicalCandidates } from './search-strategy.js';
import type { ScoredQuery } from './hybrid-score.js';

export interface SearchInput {
  readonly appId: string;
  readonly selection: CompiledSelection;
  readonly query: ScoredQuery;
  readonly index: VectorIndex;
  readonly limit: number;
}

export interface HnswInput extends SearchInput, Omit<HnswStrategy, 'kind'> {
  /** Whether the selection includes every document of the tenant. */
  readonly isUnfiltered: boolean;
}

export type FullScanInput = SearchInput & Omit<FullScanStrategy, 'kind'>;

/**
 * Condition: the chunk `c` belongs to a live revision of its document `d`. Chunks of other revisions are still being
 * written.
 */
export const LIVE = raw(
  'd.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)',
);

/** Maximum of pgvector's `hnsw.ef_search`. */
const MAX_EF_SEARCH = 1_000;

/**
 * Scores candidates of the HNSW index and of the inverted index and keeps the best. Both components of every score are
 * exact. `farthest` is the distance of the farthest HNSW candidate; null if the search found fewer than `candidates`.
 * `matching_nearest` counts how many of the nearest `candidates` chunks pass the filter.
 *
 * `offset 0` keeps PostgreSQL from rewriting a lookup of the document as a join. With a join, PostgreSQL would not use
 * the vector index, or would read all documents. With lookups, lexical candidates are checked against the filter in
 * order of their score, until enough have passed.
 */
export function hnswStatement(input: HnswInput): Sql {
  const { appId, selection, query, index, candidates, maxVisits, limit, isUnfiltered, countsNearest } = input;
  const { keys } = query.words;
  const readsWords = hasWords(query) && keys.length > 0;
  const passes = sql`exists (select from documents d where ${LIVE} and ${selection.test} offset 0)`;
  const nearestUnfiltered = sql`
nearest_unfiltered as materialized (
  select ${passes} as matches
  from chunks c
  where exists (select from tuned) and c.app_id = ${appId}
  order by ${index.order(VECTOR)}
  limit ${integer(candidates)}
),`;
  const lexical = sql`
lexical as materialized (
  ${components(input)}
  from chunks c
  where c.app_id = ${appId} and c.terms && ${keys.map(String)}::bigint[]
  limit ${integer(2 * lexicalCandidates(query.weights))}
),`;
  const farthest = sql`(select case when count(*) = ${integer(candidates)} then max(distance) end from nearest)`;
  const matchingNearest = countsNearest
    ? '(select count(*) from nearest_unfiltered where matches)::integer'
    : 'null::integer';
  return sql`
with ${question(input)},
tuned as materialized (
  select set_config('hnsw.ef_search', ${String(Math.min(candidates, MAX_EF_SEARCH))}, true),
    set_config('hnsw.max_scan_tuples', ${String(maxVisits)}, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)
),${countsNearest ? nearestUnfiltered : empty}
nearest as materialized (
  ${components(input)}
  from chunks c
  where exists (select from tuned) and c.app_id = ${appId}${isUnfiltered ? empty : sql`\n    and ${passes}`}
  order by ${index.order(VECTOR)}
  limit ${integer(candidates)}
),${readsWords ? lexical : empty}
scored as (
  select c.*, ${scoreOf(query)} as score
  from ${readsWords ? raw('(select * from nearest union all select * from lexical)') : raw('nearest')} c
  order by score desc, c.document_id, c.chunk_number
  offset 0
),
ranked as (
  select distinct s.score, s.document_id, s.chunk_number, s.revision, s.distance
  from (
    select c.* from scored c
    cross join lateral (
      select from documents d
      where d.app_id = ${appId} and d.external_id = c.document_id and c.revision = any(d.live_revisions) and ${selection.test}
      offset 0
    ) d
    limit ${integer(2 * limit)}
  ) s
  order by s.score desc, s.document_id, s.chunk_number
  limit ${integer(limit)}
)
${presented(appId, sql`, ${farthest} as farthest, ${raw(matchingNearest)} as matching_nearest`)}`;
}

/**
 * Settings with which PostgreSQL looks up the chunks of each document, in parallel if many documents match. A plan for
 * any values would expect few of them.
 */
export const PARALLEL_LOOKUPS: StatementSettings = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_custom_plan',
};

/**
 * Scores every matching chunk, keeps the best, and counts the matching chunks as `matching`. `offset 0` forces lookups
 * in one process; parallel lookups need {@link PARALLEL_LOOKUPS} instead.
 */
export function fullScanStatement(input: FullScanInput): Sql {
  const { appId, selection, query, limit, lookups } = input;
  return sql`
with ${question(input)},
scanned as materialized (${
    lookups === 'serial'
      ? sql`
  select c.*
  from documents d
  cross join lateral (${components(input)} from chunks c where ${LIVE} and c.app_id = ${appId} offset 0) c
  where ${selection.find}`
      : sql`
  ${components(input)}
  from documents d
  join chunks c on ${LIVE}
  where ${selection.find} and c.app_id = ${appId}`
  }
),
ranked as (
  select c.document_id, c.chunk_number, c.revision, c.distance, ${scoreOf(query)} as score
  from scanned c
  order by score desc, c.document_id, c.chunk_number
  limit ${integer(limit)}
)
${presented(appId, sql`, (select count(*) from scanned)::float8 as matching`)}`;
}

/**
 * An integer literal for `limit`. With a parameter instead, PostgreSQL cannot estimate the number of rows and plans the
 * statement again each time.
 */
function integer(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new Error(`${number} is not an integer`);
  return raw(String(number));
}

/** The question's vector, in a statement with {@link question}. */
const VECTOR = raw('(select vector from question)');

/**
 * Common table expression with the question's vector and terms in the column types of `chunks`, so that they are parsed
 * once.
 */
function question({ query, index }: SearchInput): Sql {
  const { vector, words } = query;
  const dimensions = raw(String(index.dimensions));
  return sql`question as materialized (
  select ${vectorBytes(vector)}::vector(${dimensions})::halfvec(${dimensions}) as vector, ${sparseText(words.idf)}::sparsevec as words
)`;
}

/**
 * Selects the identity of a chunk `c`, its cosine distance from the question in the precision of the vector index, and
 * its BM25 score: the inner product of its impacts and the question's idf. pgvector's `<#>` returns the negative inner
 * product.
 */
function components({ query, index }: SearchInput): Sql {
  const words = hasWords(query) ? '-(c.impacts <#> (select words from question))' : '0::float8';
  return sql`select c.document_id, c.chunk_number, c.revision, ${raw(`c.embedding::halfvec(${index.dimensions})`)} <=> ${VECTOR} as distance, ${raw(words)} as words`;
}

function hasWords({ words, weights }: ScoredQuery): boolean {
  return weights.lexical > 0 && words.bound > 0;
}

/** The score of a row `c` with columns `distance` and `words`. */
function scoreOf(query: ScoredQuery): Sql {
  const { weights, words, cosineFloor } = query;
  const dense = sql`${weights.dense}::float8 * greatest(0, 1 - c.distance / ${1 - cosineFloor}::float8)`;
  return hasWords(query) ? sql`${dense} + ${weights.lexical / words.bound}::float8 * c.words` : dense;
}

/**
 * Columns of a result, from the chunk `c` and its document `d`. `before` has the end offset and the page of the
 * previous chunk. Offset and page determine how much text this chunk repeats from the previous chunk, and the page of
 * the repeated text. Chunks without pages need no lookup of the previous chunk.
 */
function shown(appId: string): Sql {
  return sql`${raw(`c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, ${GIVEN_METADATA.sql} as document_metadata,
  ${GIVEN_FILENAME.sql} as filename, d.folder_path, c.context`)},
  case when c.page_number is not null and c.chunk_number > 0 then (
    select array[b.end_offset, b.page_number] from chunks b
    where b.app_id = ${appId} and b.document_id = c.document_id and b.chunk_number = c.chunk_number - 1
      and b.revision = any(d.live_revisions)
  ) end as before`;
}

/**
 * The version of a tenant's statistics; null: the tenant has no row in `corpus_stats`. Every change of the tenant's
 * chunks writes this row. The version consists of the id of the transaction that last wrote the row, and of whether the
 * tenant has vector stores.
 */
function versionOf(appId: string): Sql {
  return sql`(select concat(s.xmin, ' ', ${hasStores(appId)}) from corpus_stats s where s.app_id = ${appId})`;
}

/** Joins the ranked chunks with the columns of a result. */
function presented(appId: string, extra: Sql): Sql {
  return sql`select r.score, r.distance, ${shown(appId)}, ${versionOf(appId)} as version${extra}
from ranked r
join chunks c on c.app_id = ${appId} and c.document_id = r.document_id and c.chunk_number = r.chunk_number and c.revision = r.revision
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
order by r.score desc, r.document_id, r.chunk_number`;
}

/** Chunks of the selected documents within ranges of chunk numbers, each once, in order. */
export function rangesStatement(
  appId: string,
  { test }: CompiledSelection,
  ranges: readonly DocumentRange[],
): Sql {
  return sql`
select distinct on (c.document_id, c.chunk_number) ${shown(appId)}
from ${rangeRows(ranges)}
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
join chunks c on ${LIVE} and c.chunk_number between r.first and r.last
where ${test} and c.app_id = ${appId}
order by c.document_id, c.chunk_number`;
}

export interface SampleInput {
  readonly selection: CompiledSelection;
  /** Further predicates over the document `d`. The selectivity of each predicate is sampled. */
  readonly ranges: readonly Sql[];
}

const SAMPLED_DOCUMENTS = 400;

/**
 * Maximum number of documents and of chunks from which word statistics within a bound are counted. The documents with the
 * lowest hashes of ids are counted, so the statistics depend on nothing outside the bound.
 */
const COUNTED_DOCUMENTS = 2_000;
const COUNTED_CHUNKS = 20_000;

/**
 * Counts the tenant's chunks, and for each key, in the order of the keys, its postings and its document frequency. With a sample, also
 * counts the chunks of the sampled documents that pass the selection, and of those that pass each range. Every call
 * samples the same documents: the documents whose ids have the lowest hashes.
 *
 * @param bound condition on a document `d`: the document frequencies come from the documents that meet it; null: from all
 * documents that everyone in the tenant may read
 */
export function statisticsStatement(
  appId: string,
  keys: readonly bigint[],
  sample: SampleInput | null,
  bound: Sql | null = null,
): Sql {
  return sql`${bound === null ? empty : countedWithin(appId, keys, bound)}
select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = ${appId}), 0)::float8 as chunk_count,
  ${bound === null ? sql`coalesce((select s.shared_count from corpus_stats s where s.app_id = ${appId}), 0)` : sql`(select count(*) from counted)`}::float8 as shared_count,
  ${versionOf(appId)} as version,
  ${hasStores(appId)} as has_vector_stores,
  array(
    select array[coalesce(s.chunk_count, 0), ${bound === null ? sql`coalesce(s.shared_count, 0)` : sql`(select count(*)::integer from counted c where q.key = any(c.keys))`}]
    from unnest(${keys.map(String)}::bigint[]) with ordinality as q(key, position)
    left join term_stats s on s.app_id = ${appId} and s.key = q.key
    order by q.position
  ) as counts${sample === null ? empty : sql`,\n  ${sampled(appId, sample)} as sampled`}`;
}

/**
 * Common table expression `counted`: a row for each chunk within a bound that everyone in the tenant may read, with those
 * of its terms that are among the keys.
 */
function countedWithin(appId: string, keys: readonly bigint[], bound: Sql): Sql {
  return sql`
with bounded as materialized (
  select b.external_id, b.live_revisions
  from (
    select d.external_id, d.live_revisions, d.chunk_count,
      sum(d.chunk_count) over (order by uuid_hash_extended(d.external_id, 0), d.external_id) as running
    from (
      select d.* from documents d
      where d.app_id = ${appId} and d.chunk_count > 0 and ${everyoneReads(sql`d.readers`)} and ${bound}
      order by uuid_hash_extended(d.external_id, 0)
      limit ${integer(COUNTED_DOCUMENTS)}
    ) d
  ) b
  where b.running - b.chunk_count < ${integer(COUNTED_CHUNKS)}
),
counted as materialized (
  select array(select t.key from unnest(c.terms) as t(key) where t.key = any(${keys.map(String)}::bigint[])) as keys
  from bounded b
  cross join lateral (
    select c.terms from chunks c
    where c.app_id = ${appId} and c.document_id = b.external_id and c.revision = any(b.live_revisions)
    offset 0
  ) c
)`;
}

/**
 * An array of chunk counts: of all sampled documents, of the sampled documents that pass the selection, and of the
 * sampled documents in each range.
 */
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
