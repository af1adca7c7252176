import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { QueryTerm } from './bm25.js';
import { LEXICAL_CHECKS } from './cost-model.js';
import { maxShare, remainingTerms } from './fusion.js';
import {
  distanceOf,
  hasLexical,
  joinedWithWords,
  LIVE,
  postingSums,
  presented,
  ranking,
  scoreOf,
  SLACK,
  type SearchInput,
} from './search-statements.js';

export interface CandidateInput extends SearchInput {
  /** Terms whose postings make the lexical candidates: the rarest ones, or all. */
  readonly candidateTerms: readonly QueryTerm[];
  /** Candidates taken from each side. */
  readonly candidates: number;
}

export interface WalkInput extends CandidateInput {
  /** Size of the dynamic list of a walk through the index, 1 to 1,000. */
  readonly efSearch: number;
}

/**
 * Takes the nearest matching chunks and the best by the postings of the rarest terms, scores both sides exactly for
 * every candidate of either, and keeps the best. `farthest` is the distance of the last dense candidate and `weakest`
 * the BM25 over the candidate terms of the last lexical one: no chunk outside the candidates is better on either.
 * Each is null when there were fewer candidates than asked for. `confirmed` is how many lexical candidates are among the
 * nearest chunks, `missed` how many should be and are not, which a walk through an index can get wrong.
 */
export function candidateStatement(input: WalkInput): Sql {
  const { appId, candidates, candidateTerms } = input;
  const lexical = hasLexical(input);
  const measured = sql`(
    select c.chunk_id, c.document_id, c.chunk_number, ${distanceOf(input)} as distance
    from (select chunk_id from dense${lexical ? sql` union select chunk_id from lexical_top` : empty}) u
    join chunks c on c.app_id = ${appId} and c.chunk_id = u.chunk_id
    offset 0
  )`;
  return sql`
with ${nearest(input)},${lexical ? lexicalCandidates(input) : empty}
scored as materialized (
  ${joinedWithWords(input, measured)}
),
ranked as (${ranking(input, remainingTerms(input, candidateTerms))})${lexical ? sql`,${lexicalEvidence(candidates)}` : empty}
${presented(
  input,
  sql`, (select farthest from edge) as farthest${
    lexical
      ? sql`, (select weakest from evidence) as weakest, (select confirmed from evidence) as confirmed, (select missed from evidence) as missed`
      : empty
  }`,
)}
order by r.score desc, r.document_id, r.chunk_number`;
}

/**
 * The nearest chunks by a walk through the HNSW index that looks every chunk's document up. `offset 0` keeps PostgreSQL
 * from turning the look-up into a join, for which it would leave the index. The setting holds for this statement only:
 * a list as long as the candidates finds neighbours behind a crowd that does not match.
 */
function nearest(input: WalkInput): Sql {
  const { appId, selection, candidates, efSearch, index, vector } = input;
  return sql`tuned as materialized (
  select set_config('hnsw.ef_search', ${String(efSearch)}, true) as value
),
dense as materialized (
  select c.chunk_id, ${distanceOf(input)} as distance
  from chunks c
  where (select value from tuned) is not null and c.app_id = ${appId}
    and exists (select from documents d where ${LIVE} and ${selection.test} offset 0)
  order by ${index.order(vector)}
  limit ${candidates}
),
edge as materialized (
  select case when count(*) = ${candidates} then max(distance) end as farthest from dense
)`;
}

/**
 * The best matching chunks by BM25 over the candidate terms, without those that could not reach the last place of the
 * answer from behind the last of the nearest: `floor` is what the last place scores at least.
 */
function lexicalCandidates(input: CandidateInput): Sql {
  const { appId, selection, candidateTerms, candidates, limit } = input;
  const rest = maxShare(input, remainingTerms(input, candidateTerms));
  const units = raw('coalesce(p.units, 0)');
  const hidden = scoreOf(input, raw('s.units'), raw('farthest'));
  return sql`
pool as materialized (${postingSums(input, candidateTerms)}),
floor as materialized (
  select ${scoreOf(input, units, raw('n.distance'))} as score
  from dense n left join pool p on p.chunk_id = n.chunk_id
  order by score desc offset ${limit - 1} limit 1
),
lexical_top as materialized (
  select s.chunk_id, s.units
  from (
    select s.chunk_id, s.units from edge, pool s
    where coalesce(${hidden} + ${rest + SLACK}::float8 >= (select score from floor), true)
      or s.units >= coalesce((select units from pool order by units desc offset ${LEXICAL_CHECKS - 1} limit 1), 0)
    order by s.units desc
    offset 0
  ) s
  join chunks c on c.app_id = ${appId} and c.chunk_id = s.chunk_id
  join documents d on ${LIVE}
  where ${selection.test}
  order by s.units desc
  limit ${candidates}
),`;
}

/** What the lexical candidates tell of the whole: how weak the last of them is, and how many of them the walk found. */
function lexicalEvidence(candidates: number): Sql {
  return sql`
evidence as materialized (
  select
    case when count(*) = ${candidates} then min(t.units) end::float8 / 1e9::float8 as weakest,
    count(n.chunk_id)::float8 as confirmed,
    (count(*) filter (where n.chunk_id is null and s.distance < (select farthest from edge)))::float8 as missed
  from lexical_top t
  join scored s on s.chunk_id = t.chunk_id
  left join dense n on n.chunk_id = t.chunk_id
)`;
}
