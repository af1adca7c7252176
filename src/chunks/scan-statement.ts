import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { orderedPartIds, type OrderedPart } from '../filters/ordered-part.js';
import type { CandidateInput } from './candidate-statement.js';
import {
  distanceOf,
  hasLexical,
  joinedWithWords,
  LIVE,
  lookedUp,
  postingSums,
  presented,
  ranking,
  remainingTerms,
} from './search-statements.js';

export interface ScanInput extends CandidateInput {
  /** Whether chunks are looked up document by document; otherwise PostgreSQL may read all of them and join. */
  readonly looksUp: boolean;
  /**
   * A part of the filter nearly all of which is in scope: its chunks are measured without a look at their documents, and
   * only the best are tested. Null: what is not in scope is not measured.
   */
  readonly within: OrderedPart | null;
}

/** Chunks that are tested for each one that is wanted. */
const TESTED = 1.25;

/**
 * Measures every chunk in scope, adds the BM25 over the candidate terms, and scores the best by the other terms too.
 * `candidates` are the chunks that are scored by the other terms as well. `next` is the score of the last of them
 * without those, which no other chunk in scope exceeds; null when there is no other. `has_all_wanted` is false where fewer
 * are left after what is not in scope was taken away from the best.
 */
export function scanStatement(input: ScanInput): Sql {
  const { appId, scoped, candidateTerms, restBound, limit, within } = input;
  const rest = remainingTerms(input, candidateTerms);
  const wanted = rest.length === 0 ? limit : input.candidates;
  const best = within === null ? wanted : Math.ceil(TESTED * wanted);
  const drawn = raw(within === null ? 'scored' : 'untested');
  const tested =
    within === null
      ? empty
      : sql`
scored as materialized (
  select c.* from untested c join documents d on ${LIVE} where ${scoped}
),`;
  return sql`
with measured as (${within === null ? measured(input) : measuredWithin(input, within)}),${hasLexical(input) ? sql`\npool as (${postingSums(input, candidateTerms)}),` : empty}
${drawn} as materialized (
  ${joinedWithWords(input, raw('measured'))}
  order by score desc, c.document_id, c.chunk_number
  limit ${best}
),${tested}
ranked as (${ranking(input, rest, restBound)})
${presented(
  appId,
  sql`, (select case when count(*) = ${best} then min(score) end from ${drawn}) as next, (select count(*) >= ${wanted} from scored) as has_all_wanted`,
)}
order by r.score desc, r.document_id, r.chunk_number`;
}

/**
 * Every chunk of the documents in the part, with its distance and what tells whether it is live. In the order of their
 * ids, in which documents came, the chunks of one lie beside those of the next.
 */
function measuredWithin(input: ScanInput, part: OrderedPart): Sql {
  return sql`
  select c.*
  from unnest(array(
    select distinct i.document_id from (${orderedPartIds(input.appId, part)}) i order by 1
  )) as d(external_id)
  ${lookedUp(input, raw('c.document_id = d.external_id'))}
`;
}

/** Every chunk in scope with its distance; `offset 0` has that worked out at once, so that no vector goes into a join. */
function measured(input: ScanInput): Sql {
  const { appId, narrowed, looksUp } = input;
  const columns = raw('c.chunk_id, c.document_id, c.chunk_number');
  if (looksUp)
    return sql`
  select ${columns}, c.distance
  from documents d
  ${lookedUp(input, LIVE)}
  where ${narrowed}
`;
  return sql`
  select ${columns}, ${distanceOf(input)} as distance
  from documents d
  join chunks c on ${LIVE}
  where ${narrowed} and c.app_id = ${appId}
  offset 0
`;
}
