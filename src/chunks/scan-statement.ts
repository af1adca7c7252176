import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { CandidateInput } from './candidate-statement.js';
import { remainingTerms } from './fusion.js';
import {
  distanceOf,
  hasLexical,
  joinedWithWords,
  LIVE,
  lookedUp,
  postingSums,
  presented,
  ranking,
} from './search-statements.js';

export interface ScanInput extends CandidateInput {
  /** Whether chunks are looked up document by document; otherwise PostgreSQL may read all of them and join. */
  readonly looksUp: boolean;
}

/**
 * Measures every matching chunk, adds the BM25 over the candidate terms, and scores the best by the other terms too.
 * `candidates` are the chunks that are scored by the other terms as well. `next` is the score of the last of them
 * without those, which no other matching chunk exceeds; null when there is no other.
 */
export function scanStatement(input: ScanInput): Sql {
  const { candidateTerms, limit } = input;
  const rest = remainingTerms(input, candidateTerms);
  const best = rest.length === 0 ? limit : input.candidates;
  return sql`
with measured as (${measured(input)}),${hasLexical(input) ? sql`\npool as (${postingSums(input, candidateTerms)}),` : empty}
scored as materialized (
  ${joinedWithWords(input, raw('measured'))}
  order by score desc, c.document_id, c.chunk_number
  limit ${best}
),
ranked as (${ranking(input, rest)})
${presented(input, sql`, (select case when count(*) = ${best} then min(score) end from scored) as next`)}
order by r.score desc, r.document_id, r.chunk_number`;
}

/**
 * Every matching chunk with its distance: it grows with what is in scope. `offset 0` has the distance worked out at once,
 * so that no vector goes into a join.
 */
function measured(input: ScanInput): Sql {
  const { appId, selection, looksUp } = input;
  const columns = raw('c.chunk_id, c.document_id, c.chunk_number');
  if (looksUp)
    return sql`
  select ${columns}, c.distance
  from documents d
  ${lookedUp(input, LIVE)}
  where ${selection.find}
`;
  return sql`
  select ${columns}, ${distanceOf(input)} as distance
  from documents d
  join chunks c on ${LIVE}
  where ${selection.find} and c.app_id = ${appId}
  offset 0
`;
}
