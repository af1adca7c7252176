import sql, { empty, raw, type Sql } from 'sql-template-tag';
import {
  distanceOf,
  hasLexical,
  LIVE,
  postingSums,
  presented,
  probe,
  scoreOf,
  type SearchInput,
} from './search-statements.js';

export interface ScanInput extends SearchInput {
  /** Terms whose postings are read: the rarest ones, or all. */
  readonly candidateTerms: readonly string[];
  /** Most that the other terms may add to a score. */
  readonly restBound: number;
  /** Chunks that are scored by the other terms as well. */
  readonly candidates: number;
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
  const rest = lexical ? input.terms.filter((term) => !candidateTerms.includes(term)) : [];
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
