import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { CompiledSelection } from '../filters/document-predicate.js';
import { rangeRows, type DocumentRange } from '../filters/document-ranges.js';
import { TRUE } from '../filters/sql/expressions.js';
import { B, K1, type QueryTerm } from './bm25.js';
import { PROBE_COST } from './cost-model.js';
import { maxShare, type Scoring } from './fusion.js';
import type { VectorIndex } from './vector-index.js';

/** What a search statement is built from. */
export interface SearchInput extends Scoring {
  readonly appId: string;
  readonly selection: CompiledSelection;
  /** The query's unit vector as pgvector text. */
  readonly vector: string;
  readonly index: VectorIndex;
  readonly limit: number;
  /** Whether rows have their `distance` from the query too; unset: no. */
  readonly explain?: boolean;
}

export interface ExactInput extends SearchInput {
  /** Matching chunks above which nothing is scored and only the count comes back. */
  readonly guard: number;
}

/** The chunk `c` is one that its document `d` shows; others are still being written. */
export const LIVE = raw(
  'd.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)',
);

/**
 * Counts the matching chunks and, unless there are more than the guard allows, scores every one of them on both sides
 * and keeps the best; more are left to a scan. The count stops at the guard; one row without a chunk carries it when
 * nothing is scored.
 * BM25 comes from one reading of all postings or from look-ups for each chunk, as the count says; the other way is a
 * one-time filter that does not hold and costs nothing.
 */
export function exactStatement(input: ExactInput): Sql {
  const { selection, limit, guard } = input;
  const lexical = hasLexical(input);
  const scans = sql`(select matching from counted) >= ${readingFrom(input)}::float8`;
  return sql`
with matching_documents as materialized (
  select d.external_id, d.live_revisions, d.chunk_count from documents d
  where ${selection.find} and d.chunk_count > 0 limit ${guard + 1}
),
counted as (select coalesce(sum(s.chunk_count), 0)::float8 as matching from matching_documents s),${
    lexical
      ? sql`
lexical as materialized (${postingSums(input, input.terms, sql`\n  where ${scans}`)}),`
      : empty
  }
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, ${scoreOf(input, raw('coalesce(l.units, r.units, 0)'), raw('c.distance'))} as score
  from matching_documents s
  ${lookedUp(input, sql`c.document_id = s.external_id and c.revision = any(s.live_revisions)`)}${
    lexical
      ? sql`
  full join lexical r on r.chunk_id = c.chunk_id${probe(input, input.terms, sql` and not ${scans}`)}`
      : empty
  }
  where ${lexical ? IS_CHUNK : TRUE} and (select matching from counted) <= ${guard}
  order by score desc, c.document_id, c.chunk_number
  limit ${limit}
),
presented as (
${presented(input)}
)
select k.matching, p.* from counted k left join presented p on true
order by p.score desc, p.document_id, p.chunk_number`;
}

/** Matching chunks from which on the postings of every term are read once, instead of looked up for each chunk. */
function readingFrom({ terms }: SearchInput): number {
  const postings = terms.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  return terms.length === 0 ? 0 : postings / (terms.length * PROBE_COST);
}

/**
 * Chunks with their distance as a lateral join, document by document. `offset 0` keeps PostgreSQL from reading all chunks
 * because it misjudges the filter.
 */
export function lookedUp(input: SearchInput, condition: Sql): Sql {
  return sql`cross join lateral (
    select c.app_id, c.chunk_id, c.document_id, c.chunk_number, c.revision, ${distanceOf(input)} as distance
    from chunks c
    where c.app_id = ${input.appId} and ${condition}
    offset 0
  ) c`;
}

/** Cosine distance of the chunk `c` from the query, as the vector index has it. */
export function distanceOf({ index, vector }: Pick<SearchInput, 'index' | 'vector'>): Sql {
  return sql`${raw(`c.embedding::halfvec(${index.dimensions})`)} <=> ${vector}`;
}

export function hasLexical({ weights, terms }: SearchInput): boolean {
  return weights.lexical > 0 && terms.length > 0;
}

/**
 * BM25 of the postings `p`, each with its term's `idf`, in whole billionths: so a sum does not depend on the order in
 * which a plan adds, and the same chunk has the same score in every statement.
 * Constants are float8: `numeric` arithmetic would double the cost of a posting.
 */
function sumOf(idf: Sql, { meanLength }: SearchInput): Sql {
  return sql`sum((1e9::float8 * ${idf} * p.tf /
      (p.tf + ${K1}::float8 * (${1 - B}::float8 + ${B}::float8 * p.len / ${meanLength}::float8)))::bigint)::bigint`;
}

const namesOf = (terms: readonly QueryTerm[]): string[] => terms.map(({ term }) => term);
const idfOf = (terms: readonly QueryTerm[]): number[] => terms.map(({ idf }) => idf);

/** BM25 over `terms` of every chunk that holds one of them: it reads all their postings, and grows with the corpus. */
export function postingSums(input: SearchInput, terms: readonly QueryTerm[], when = empty): Sql {
  return sql`
  select p.chunk_id, ${sumOf(raw('q.idf'), input)} as units
  from unnest(${namesOf(terms)}::text[], ${idfOf(terms)}::float8[]) as q(term, idf)
  join postings p on p.app_id = ${input.appId} and p.term = q.term${when}
  group by p.chunk_id
`;
}

/** BM25 over `terms` of the one chunk `c`, by a look-up for each term. */
function probe(input: SearchInput, terms: readonly QueryTerm[], when = empty): Sql {
  if (!hasLexical(input) || terms.length === 0) return empty;
  const names = namesOf(terms);
  const idf = sql`(${idfOf(terms)}::float8[])[array_position(${names}::text[], p.term)]`;
  return sql`
  cross join lateral (
    select ${sumOf(idf, input)} as units
    from postings p
    where p.app_id = ${input.appId} and p.term = any(${names}::text[]) and p.chunk_id = c.chunk_id${when}
  ) l`;
}

export function scoreOf(input: SearchInput, units: Sql, distance: Sql): Sql {
  const { weights, bound } = input;
  const dense = sql`${weights.dense}::float8 * (1 - (${distance}) / 2)`;
  return hasLexical(input)
    ? sql`${dense} + ${weights.lexical}::float8 * (${units})::float8 / ${1e9 * bound}::float8`
    : dense;
}

/**
 * Of a full join of chunks `c` with sums of BM25, the rows that have a chunk. A full join is one that PostgreSQL cannot
 * make by going through the sums anew for every chunk, which it does where it expects a single chunk and there are
 * thousands: it expects too few wherever conditions over jsonb come together. In words that it does not take for
 * `is not null`, which would make it another join.
 */
const IS_CHUNK = raw('coalesce(c.chunk_id, 0) <> 0');

/** The chunks `c` of `measured` (an expression of a FROM clause) with units of BM25 from `pool` and the score of both. */
export function joinedWithWords(input: SearchInput, measured: Sql): Sql {
  const lexical = hasLexical(input);
  const units = raw(lexical ? 'coalesce(p.units, 0)' : '0');
  return sql`select c.*, ${units} as units, ${scoreOf(input, units, raw('c.distance'))} as score
  from ${measured} c${lexical ? sql`\n  full join pool p on p.chunk_id = c.chunk_id\n  where ${IS_CHUNK}` : empty}`;
}

/** For what a score loses by rounding. */
export const SLACK = 1e-6;

/**
 * Scores the chunks of `scored` by the terms `rest` too, as far as those could lift one to the last place of the answer,
 * and keeps the best. `scored` has chunk_id, document_id, chunk_number, distance, units of BM25 without `rest`, and the
 * score of both.
 */
export function ranking(input: SearchInput, rest: readonly QueryTerm[]): Sql {
  const { limit } = input;
  const order = sql`order by score desc, c.document_id, c.chunk_number
  limit ${limit}`;
  if (rest.length === 0)
    return sql`
  select c.chunk_id, c.document_id, c.chunk_number, c.score from scored c
  ${order}
`;
  return sql`
  select c.chunk_id, c.document_id, c.chunk_number, ${scoreOf(input, raw('c.units + coalesce(l.units, 0)'), raw('c.distance'))} as score
  from scored c${probe(input, rest)}
  where c.score + ${maxShare(input, rest) + SLACK}::float8 >= coalesce((select score from scored order by score desc offset ${limit - 1} limit 1), 0)
  ${order}
`;
}

/** What a result shows of the chunk `c` and its document `d`. */
const SHOWN =
  raw(`c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path,
  concat_ws(' ', d.text_version, d.live_revisions) as document_version, c.context`);

/** Chunks of the documents of a selection within ranges of numbers, each once, in order. */
export function rangesStatement(
  appId: string,
  { test }: CompiledSelection,
  ranges: readonly DocumentRange[],
): Sql {
  return sql`
select distinct on (c.document_id, c.chunk_number) 0::float8 as score, ${SHOWN}
from ${rangeRows(ranges)}
join documents d on d.app_id = ${appId} and d.external_id = r.document_id
join chunks c on ${LIVE} and c.chunk_number between r.first and r.last
where ${test} and c.app_id = ${appId}
order by c.document_id, c.chunk_number`;
}

/** The ranked chunks with everything a result shows. */
export function presented(input: SearchInput, extra: Sql = empty): Sql {
  const { appId, explain = false } = input;
  return sql`select
  r.score, ${SHOWN}${explain ? sql`, ${distanceOf(input)} as distance` : empty}${extra}
from ranked r
join chunks c on c.app_id = ${appId} and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id`;
}
