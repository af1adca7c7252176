import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { CompiledSelection } from '../filters/document-predicate.js';
import { rangeRows, type DocumentRange } from '../filters/document-ranges.js';
import { queryVectorText, sparseText } from './column-text.js';
import { wordCandidates } from './plan.js';
import type { ScoredQuery } from './scores.js';
import type { VectorIndex } from './vector-index.js';

/** What a search statement is built from. */
export interface SearchInput {
  readonly appId: string;
  readonly selection: CompiledSelection;
  readonly query: ScoredQuery;
  readonly index: VectorIndex;
  readonly limit: number;
}

export interface WalkInput extends SearchInput {
  /** Nearest chunks that are taken from the vector index. */
  readonly candidates: number;
  /** Chunks that a walk looks at before it gives up. */
  readonly maxSteps: number;
  /** Whether the selection takes every document of the tenant. */
  readonly takesAll: boolean;
}

export interface MeasureInput extends SearchInput {
  /** Whether chunks are looked up document by document, however PostgreSQL judges the filter. */
  readonly looksUp: boolean;
}

/** The chunk `c` is one that its document `d` shows; others are still being written. */
export const LIVE = raw(
  'd.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)',
);

/** Longest dynamic list of a walk that pgvector takes. */
const MAX_LIST = 1_000;

/**
 * Scores the nearest matching chunks along the HNSW index, and those under the keys of the question's words, and keeps
 * the best. Both sides of every score are exact. `farthest` is the distance of the last of the nearest, null where the
 * walk found fewer than asked for; `around` tells how many chunks match of as many that are the nearest of all.
 *
 * `offset 0` keeps PostgreSQL from turning a look-up into a join, for which it would leave the index or read all
 * documents: so the documents of what the words found are looked at from the best on, until there are enough.
 */
export function walkStatement(input: WalkInput): Sql {
  const { appId, selection, query, index, candidates, maxSteps, limit, takesAll } = input;
  const { keys } = query.words;
  const readsWords = hasWords(query) && keys.length > 0;
  return sql`
with ${question(input)},
tuned as materialized (
  select set_config('hnsw.ef_search', ${String(Math.min(candidates, MAX_LIST))}, true),
    set_config('hnsw.max_scan_tuples', ${String(maxSteps)}, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)
),${
    takesAll
      ? empty
      : sql`
around as materialized (
  select exists (select from documents d where ${LIVE} and ${selection.test} offset 0) as matches
  from chunks c
  where exists (select from tuned) and c.app_id = ${appId}
  order by ${index.order(VECTOR)}
  limit ${whole(candidates)}
),`
  }
nearest as materialized (
  select ${ROW}, ${distanceOf(input)} as distance, ${wordsOf(query)} as words
  from chunks c
  where exists (select from tuned) and c.app_id = ${appId}${
    takesAll
      ? empty
      : sql`
    and exists (select from documents d where ${LIVE} and ${selection.test} offset 0)`
  }
  order by ${index.order(VECTOR)}
  limit ${whole(candidates)}
),${
    readsWords
      ? sql`
lexical as materialized (
  select ${ROW}, ${distanceOf(input)} as distance, ${wordsOf(query)} as words
  from chunks c
  where c.app_id = ${appId} and c.terms && ${keys.map(String)}::bigint[]
  limit ${whole(2 * wordCandidates(query.weights))}
),`
      : empty
  }
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
    limit ${whole(2 * limit)}
  ) s
  order by s.score desc, s.document_id, s.chunk_number
  limit ${whole(limit)}
)
${presented(
  appId,
  sql`, (select case when count(*) = ${whole(candidates)} then max(distance) end from nearest) as farthest, ${
    takesAll ? raw('null::integer') : raw('(select count(*) from around where matches)::integer')
  } as around`,
)}`;
}

/** Scores every matching chunk, keeps the best, and counts them all: `matching`. */
export function measureStatement(input: MeasureInput): Sql {
  const { appId, selection, query, limit, looksUp } = input;
  const measured = sql`select ${ROW}, ${distanceOf(input)} as distance, ${wordsOf(query)} as words`;
  return sql`
with ${question(input)},
measured as materialized (${
    looksUp
      ? sql`
  select c.*
  from documents d
  cross join lateral (${measured} from chunks c where ${LIVE} and c.app_id = ${appId} offset 0) c
  where ${selection.find}`
      : sql`
  ${measured}
  from documents d
  join chunks c on ${LIVE}
  where ${selection.find} and c.app_id = ${appId}`
  }
),
ranked as (
  select c.document_id, c.chunk_number, c.revision, c.distance, ${scoreOf(query)} as score
  from measured c
  order by score desc, c.document_id, c.chunk_number
  limit ${whole(limit)}
)
${presented(appId, sql`, (select count(*) from measured)::float8 as matching`)}`;
}

/** A whole number as it is: of a parameter PostgreSQL does not know how few rows it leaves, and plans each time anew. */
function whole(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new Error(`${number} is no whole number`);
  return raw(String(number));
}

/** What tells a chunk `c` from others. */
const ROW = raw('c.document_id, c.chunk_number, c.revision');

/** The question's vector, where a statement has {@link question}. */
const VECTOR = raw('(select vector from question)');

/** The question, once, in the forms that the columns of chunks have. */
function question({ query, index }: SearchInput): Sql {
  const { vector, words } = query;
  return sql`question as materialized (
  select ${queryVectorText(vector)}::halfvec(${raw(String(index.dimensions))}) as vector, ${sparseText(words.idf)}::sparsevec as words
)`;
}

/** Cosine distance of the chunk `c` from the question, as the vector index has it. */
function distanceOf({ index }: SearchInput): Sql {
  return sql`${raw(`c.embedding::halfvec(${index.dimensions})`)} <=> ${VECTOR}`;
}

/** BM25 of the chunk `c`: the inner product of its impacts and the question's idf, of which pgvector gives the negative. */
function wordsOf(query: ScoredQuery): Sql {
  return hasWords(query) ? raw('-(c.impacts <#> (select words from question))') : raw('0::float8');
}

function hasWords({ words, weights }: ScoredQuery): boolean {
  return weights.lexical > 0 && words.bound > 0;
}

/** The score of a row `c` with its distance and its BM25. */
function scoreOf(query: ScoredQuery): Sql {
  const { weights, words, cosineFloor } = query;
  const dense = sql`${weights.dense}::float8 * greatest(0, 1 - c.distance / ${1 - cosineFloor}::float8)`;
  return hasWords(query) ? sql`${dense} + ${weights.lexical / words.bound}::float8 * c.words` : dense;
}

/** What a result shows of the chunk `c` and its document `d`. */
const SHOWN =
  raw(`c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, c.context`);

/** The ranked chunks with everything a result shows. */
function presented(appId: string, extra: Sql): Sql {
  return sql`select r.score, r.distance, ${SHOWN}${extra}
from ranked r
join chunks c on c.app_id = ${appId} and c.document_id = r.document_id and c.chunk_number = r.chunk_number and c.revision = r.revision
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
order by r.score desc, r.document_id, r.chunk_number`;
}

/** Chunks of the documents of a selection within ranges of numbers, each once, in order. */
export function rangesStatement(
  appId: string,
  { test }: CompiledSelection,
  ranges: readonly DocumentRange[],
): Sql {
  return sql`
select distinct on (c.document_id, c.chunk_number) ${SHOWN}
from ${rangeRows(ranges)}
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
join chunks c on ${LIVE} and c.chunk_number between r.first and r.last
where ${test} and c.app_id = ${appId}
order by c.document_id, c.chunk_number`;
}
