import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { B, K1 } from './bm25.js';
import type { FusionWeights } from './fusion.js';

/** What a search statement is built from. `scoped` is the document predicate over alias `d`. */
export interface SearchInput {
  readonly appId: string;
  readonly scoped: Sql;
  /** The query's unit vector as pgvector text. */
  readonly vector: string;
  readonly dimensions: number;
  /** Distinct query terms with their idf, in query order. */
  readonly terms: readonly string[];
  readonly idf: readonly number[];
  readonly meanLength: number;
  readonly bound: number;
  readonly weights: FusionWeights;
  readonly limit: number;
}

export interface ExactInput extends SearchInput {
  /** Chunks in scope above which nothing is scored and only the count comes back; null: score them all. */
  readonly guard: number | null;
  /** Chunks in scope from which on the postings of every term are read once, instead of looked up for each chunk. */
  readonly scanFrom: number;
}

export interface IndexedInput extends SearchInput {
  /** Terms whose postings make the lexical candidates: the rarest ones, or all. */
  readonly candidateTerms: readonly string[];
  /** Candidates taken from each side. */
  readonly candidates: number;
}

/** The chunk `c` is one that its document `d` shows; others are still being written. */
const LIVE = raw(
  'd.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)',
);

/** The tenant's corpus and the chunk counts of the query's terms, in their order. */
export function statisticsStatement(appId: string, terms: readonly string[]): Sql {
  return sql`
select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = ${appId}), 0)::float8 as chunk_count,
  coalesce((select s.total_length from corpus_stats s where s.app_id = ${appId}), 0)::float8 as total_length,
  array(
    select coalesce(s.chunk_count, 0)
    from unnest(${terms}::text[]) with ordinality as q(term, ord)
    left join term_stats s on s.app_id = ${appId} and s.term = q.term
    order by q.ord
  ) as holding`;
}

/**
 * Counts the chunks in scope and, unless there are more than the guard allows, scores every one of them on both sides
 * and keeps the best. The count stops at the guard; one row without a chunk carries it when nothing is scored.
 * BM25 comes from one reading of all postings or from look-ups for each chunk, as the count says; the other way is a
 * one-time filter that does not hold and costs nothing.
 * The lateral look-up with its `offset 0` keeps PostgreSQL from reading all chunks because it misjudges the filter.
 */
export function exactStatement(input: ExactInput): Sql {
  const { appId, scoped, limit, guard, scanFrom } = input;
  const lexical = hasLexical(input);
  const scans = sql`(select matching from counted) >= ${scanFrom}::float8`;
  return sql`
with in_scope as materialized (
  select d.external_id, d.live_revisions, d.chunk_count from documents d
  where ${scoped} and d.chunk_count > 0${guard === null ? empty : sql` limit ${guard + 1}`}
),
counted as (select coalesce(sum(s.chunk_count), 0)::float8 as matching from in_scope s),${
    lexical
      ? sql`
lexical as materialized (${postingSums(input, input.terms, sql`where ${scans}`)}),`
      : empty
  }
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, ${scoreOf(input, raw('coalesce(l.units, r.units, 0)'))} as score
  from in_scope s
  cross join lateral (
    select c.document_id, c.chunk_number, c.chunk_id, c.embedding from chunks c
    where c.app_id = ${appId} and c.document_id = s.external_id and c.revision = any(s.live_revisions)
    offset 0
  ) c${
    lexical
      ? sql`
  left join lexical r on r.chunk_id = c.chunk_id${probe(input, input.terms, sql` and not ${scans}`)}`
      : empty
  }${
    guard === null
      ? empty
      : sql`
  where (select matching from counted) <= ${guard}`
  }
  order by score desc, c.document_id, c.chunk_number
  limit ${limit}
),
presented as (
${presented(appId)}
)
select k.matching, p.* from counted k left join presented p on true
order by p.score desc, p.document_id, p.chunk_number`;
}

/**
 * Takes candidates from the HNSW index and from the postings of the rarest terms, scores both sides exactly for every
 * candidate of either, and keeps the best. `farthest` is the distance of the last dense candidate and `weakest` the
 * BM25 over the candidate terms of the last lexical one: no chunk outside the candidates is better on either.
 */
export function indexedStatement(input: IndexedInput): Sql {
  const { appId, scoped, vector, dimensions, candidates, limit } = input;
  const column = raw(`c.embedding::halfvec(${dimensions})`);
  const lexical = hasLexical(input);
  const rest = lexical ? input.terms.filter((term) => !input.candidateTerms.includes(term)) : [];
  return sql`
with dense as materialized (
  select c.chunk_id, ${column} <=> ${vector} as distance
  from chunks c
  join documents d on ${LIVE}
  where ${scoped} and c.app_id = ${appId}
  order by ${column} <=> ${vector}
  limit ${candidates}
),${lexical ? lexicalCandidates(input) : empty}
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, ${scoreOf(input, rest.length > 0 ? raw('coalesce(pool.units, 0) + coalesce(l.units, 0)') : raw('coalesce(pool.units, 0)'))} as score
  from (select chunk_id from dense${lexical ? sql` union select chunk_id from lexical_top` : empty}) u
  join chunks c on c.app_id = ${appId} and c.chunk_id = u.chunk_id${
    lexical ? sql`\n  left join pool on pool.chunk_id = u.chunk_id` : empty
  }${probe(input, rest)}
  order by score desc, c.document_id, c.chunk_number
  limit ${limit}
)
${presented(
  appId,
  sql`, (select max(distance) from dense) as farthest${
    lexical ? sql`, (select min(units) from lexical_top)::float8 / 1e9::float8 as weakest` : empty
  }`,
)}
order by r.score desc, r.document_id, r.chunk_number`;
}

function hasLexical({ weights, terms }: SearchInput): boolean {
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

function idfOf(input: SearchInput, terms: readonly string[]): number[] {
  return terms.map((term) => input.idf[input.terms.indexOf(term)] ?? 0);
}

/** BM25 over `terms` of every chunk that holds one of them. */
function postingSums(input: SearchInput, terms: readonly string[], when = empty): Sql {
  return sql`
  select p.chunk_id, ${sumOf(raw('q.idf'), input)} as units
  from unnest(${terms}::text[], ${idfOf(input, terms)}::float8[]) as q(term, idf)
  join postings p on p.app_id = ${input.appId} and p.term = q.term
  ${when}
  group by p.chunk_id
`;
}

/** BM25 over `terms` of the one chunk `c`, by a look-up for each term. */
function probe(input: SearchInput, terms: readonly string[], when = empty): Sql {
  if (!hasLexical(input) || terms.length === 0) return empty;
  const idf = sql`(${idfOf(input, terms)}::float8[])[array_position(${terms}::text[], p.term)]`;
  return sql`
  cross join lateral (
    select ${sumOf(idf, input)} as units
    from postings p
    where p.app_id = ${input.appId} and p.term = any(${terms}::text[]) and p.chunk_id = c.chunk_id${when}
  ) l`;
}

/** The best chunks in scope by BM25 over the candidate terms. */
function lexicalCandidates(input: IndexedInput): Sql {
  const { appId, scoped, candidateTerms, candidates } = input;
  return sql`
pool as materialized (${postingSums(input, candidateTerms)}),
lexical_top as materialized (
  select s.chunk_id, s.units
  from (select chunk_id, units from pool order by units desc offset 0) s
  join chunks c on c.app_id = ${appId} and c.chunk_id = s.chunk_id
  join documents d on ${LIVE}
  where ${scoped}
  order by s.units desc
  limit ${candidates}
),`;
}

function scoreOf(input: SearchInput, units: Sql): Sql {
  const { weights, vector, bound, dimensions } = input;
  const dense = sql`${weights.dense}::float8 * (1 - (${raw(`c.embedding::halfvec(${dimensions})`)} <=> ${vector}) / 2)`;
  return hasLexical(input)
    ? sql`${dense} + ${weights.lexical}::float8 * (${units})::float8 / ${1e9 * bound}::float8`
    : dense;
}

/** The ranked chunks with everything a result shows. */
function presented(appId: string, extra: Sql = empty): Sql {
  return sql`select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path${extra}
from ranked r
join chunks c on c.app_id = ${appId} and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id`;
}
