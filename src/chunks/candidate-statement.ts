import sql, { empty, raw, type Sql } from 'sql-template-tag';
import {
  distanceOf,
  hasLexical,
  LIVE,
  postingSums,
  presented,
  probe,
  remainingTerms,
  scoreOf,
  type SearchInput,
} from './search-statements.js';

export interface CandidateInput extends SearchInput {
  /** Terms whose postings make the lexical candidates: the rarest ones, or all. */
  readonly candidateTerms: readonly string[];
  /** Candidates taken from each side. */
  readonly candidates: number;
  /** Size of the dynamic list of a walk through the index, 1 to 1,000. */
  readonly efSearch: number;
}

/**
 * Takes the nearest chunks in scope and the best by the postings of the rarest terms, scores both sides exactly for
 * every candidate of either, and keeps the best. `farthest` is the distance of the last dense candidate and `weakest`
 * the BM25 over the candidate terms of the last lexical one: no chunk outside the candidates is better on either.
 * Each is null when there were fewer candidates than asked for.
 */
export function candidateStatement(input: CandidateInput): Sql {
  const { appId, candidates, limit } = input;
  const lexical = hasLexical(input);
  const rest = remainingTerms(input, input.candidateTerms);
  return sql`
with ${nearest(input)},${lexical ? lexicalCandidates(input) : empty}
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
  sql`, (select case when count(*) = ${candidates} then max(distance) end from dense) as farthest${
    lexical
      ? sql`, (select case when count(*) = ${candidates} then min(units) end from lexical_top)::float8 / 1e9::float8 as weakest`
      : empty
  }`,
)}
order by r.score desc, r.document_id, r.chunk_number`;
}

/**
 * The nearest chunks by a walk through the HNSW index that looks every chunk's document up. `offset 0` keeps PostgreSQL
 * from turning the look-up into a join, for which it would leave the index. The setting holds for this statement only:
 * a list as long as the candidates finds neighbours behind a crowd that is out of scope.
 */
function nearest(input: CandidateInput): Sql {
  const { appId, scoped, candidates, efSearch, index, vector } = input;
  return sql`tuned as materialized (
  select set_config('hnsw.ef_search', ${String(efSearch)}, true) as value
),
dense as materialized (
  select c.chunk_id, ${distanceOf(input)} as distance
  from chunks c
  where (select value from tuned) is not null and c.app_id = ${appId}
    and exists (select from documents d where ${LIVE} and ${scoped} offset 0)
  order by ${index.order(vector)}
  limit ${candidates}
)`;
}

/** The best chunks in scope by BM25 over the candidate terms. */
function lexicalCandidates(input: CandidateInput): Sql {
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
