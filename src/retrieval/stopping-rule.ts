import type { CandidateResult } from '../chunks/chunk.repository.js';
import { MISSED_BY_CHANCE } from '../chunks/cost-model.js';
import type { Scoring } from '../chunks/fusion.js';
import type { Round } from './planner.js';

/** What the facts of a round tell of the matching chunks outside its candidates. */
interface Evidence {
  /** Best score that one of them may have, if the index found all near neighbours; -Infinity where there is none. */
  readonly stoppingBound: number;
  /** Not so where a walk through the index gave up with fewer than asked for, or was misled. */
  readonly foundAllNear: boolean;
  /** Some of what the words found is among the nearest chunks, and most that should be is. */
  readonly isConfirmed: boolean;
}

/**
 * Whether a round ends the search: no other chunk can reach the last place of the answer (the stopping rule of Fagin's
 * threshold algorithm), or the round was thorough and its answer is as long as asked for.
 */
export function endsSearch(
  found: CandidateResult,
  { isThorough }: Pick<Round, 'isThorough'>,
  query: Scoring,
  { limit, minScore }: { readonly limit: number; readonly minScore: number },
): boolean {
  const { chunks } = found;
  const { stoppingBound, foundAllNear, isConfirmed } = evidenceOf(found, query);
  const last = chunks.length < limit ? undefined : chunks[limit - 1];
  const isWhole = Math.max(last?.score ?? 0, minScore) > stoppingBound;
  const isLong = chunks.filter(({ score }) => score >= minScore).length >= limit;
  return isThorough ? isWhole || (foundAllNear && isLong) : isWhole && isConfirmed;
}

export function evidenceOf(found: CandidateResult, { weights, bound }: Scoring): Evidence {
  if (found.nearestBy === 'scan') {
    const stoppingBound = found.next === null ? -Infinity : found.next + found.restBound;
    return { stoppingBound, foundAllNear: true, isConfirmed: true };
  }
  const { farthest, weakest, confirmed, missed, restBound } = found;
  const isMisled = missed > confirmed + MISSED_BY_CHANCE;
  const dense = weights.dense * (1 - (farthest ?? 0) / 2);
  const lexical = weakest === null ? 0 : (weights.lexical * weakest) / bound;
  return {
    stoppingBound: isMisled ? weights.dense + weights.lexical : dense + lexical + restBound,
    foundAllNear: farthest !== null && !isMisled,
    isConfirmed: confirmed > 0 && !isMisled,
  };
}
