import type { QueryTerm } from '../chunks/bm25.js';

/**
 * Chunks in scope up to which every one is scored. Exact scoring costs about 1.5 us a chunk and misses nothing; above
 * this the HNSW index is quicker at the same recall. Measured in docs/performance.md.
 */
export const EXACT_LIMIT = 5_000;

/** Postings read for the lexical candidates of an indexed search. */
export const POSTINGS_BUDGET = 4_000;

/** Postings up to which all terms are read rather than the rarest ones only. */
const ALL_POSTINGS_LIMIT = 12_000;

/** Candidates taken from each side of an indexed search, whatever the limit is. */
const MIN_CANDIDATES = 350;

/**
 * The terms whose postings are read for candidates: all of them while that is cheap, otherwise the rarest ones until
 * the budget is used up, and always the rarest one that any chunk holds.
 */
export function candidateTerms(terms: readonly QueryTerm[]): string[] {
  const total = terms.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  if (total <= ALL_POSTINGS_LIMIT) return terms.map(({ term }) => term);
  const chosen: string[] = [];
  let used = 0;
  for (const { term, chunkCount } of terms.toSorted((a, b) => a.chunkCount - b.chunkCount)) {
    if (used > 0 && used + chunkCount > POSTINGS_BUDGET) break;
    chosen.push(term);
    used += chunkCount;
  }
  return chosen;
}

/** Candidates from each side for `limit` results: room for the two sides to disagree (docs/performance.md). */
export function candidateCount(limit: number): number {
  return MIN_CANDIDATES + Math.ceil(1.5 * limit);
}
