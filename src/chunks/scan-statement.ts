import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { CandidateInput } from './candidate-statement.js';
import {
  distanceOf,
  hasLexical,
  LIVE,
  postingSums,
  presented,
  probe,
  remainingTerms,
  scoreOf,
} from './search-statements.js';

/** `candidates` are the chunks that are scored by the terms which are not candidate terms as well. */
export interface ScanInput extends Omit<CandidateInput, 'efSearch'> {
  /** Most that the other terms may add to a score. */
  readonly restBound: number;
}

/** For what a score loses by rounding. */
const SLACK = 1e-6;

/**
 * Measures every chunk in scope, adds the BM25 over the candidate terms, and scores the best by the other terms too,
 * as far as those could lift a chunk to the last place of the answer.
 * `next` is the score of the last of them without the other terms, which no other chunk in scope exceeds; null when
 * there is no other.
 */
export function scanStatement(input: ScanInput): Sql {
  const { appId, narrowed, candidateTerms, restBound, limit } = input;
  const lexical = hasLexical(input);
  const rest = remainingTerms(input, candidateTerms);
  const best = rest.length === 0 ? limit : input.candidates;
  const units = raw(lexical ? 'coalesce(p.units, 0)' : '0');
  return sql`
with measured as (
  select c.chunk_id, c.document_id, c.chunk_number, ${distanceOf(input)} as distance
  from documents d
  join chunks c on ${LIVE}
  where ${narrowed} and c.app_id = ${appId}
),${lexical ? sql`\npool as (${postingSums(input, candidateTerms)}),` : empty}
best as materialized (
  select m.chunk_id, ${units} as units, ${scoreOf(input, units, raw('m.distance'))} as score
  from measured m${lexical ? sql`\n  left join pool p on p.chunk_id = m.chunk_id` : empty}
  order by score desc, m.document_id, m.chunk_number
  limit ${best}
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, ${scoreOf(input, raw(rest.length > 0 ? 'b.units + coalesce(l.units, 0)' : 'b.units'))} as score
  from best b
  join chunks c on c.app_id = ${appId} and c.chunk_id = b.chunk_id${probe(input, rest)}${
    rest.length === 0
      ? empty
      : sql`\n  where b.score + ${restBound + SLACK}::float8 >= coalesce((select score from best order by score desc offset ${limit - 1} limit 1), 0)`
  }
  order by score desc, c.document_id, c.chunk_number
  limit ${limit}
)
${presented(appId, sql`, (select case when count(*) = ${best} then min(score) end from best) as next`)}
order by r.score desc, r.document_id, r.chunk_number`;
}
