import type { QuestionWords } from './question-words.js';

/** How the two sides of hybrid retrieval make one score. */
export interface FusionWeights {
  readonly dense: number;
  readonly lexical: number;
}

/**
 * Weights of the absolute hybrid score `dense x (1 + cosine) / 2 + lexical x BM25 / bound`, a convex combination with
 * theoretical bounds (after Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023, with
 * the bound taken from the query alone). Measured in docs/performance.md; .17 to .29 for the lexical side differ little.
 */
export const HYBRID: FusionWeights = { dense: 0.74, lexical: 0.26 };

export const DENSE_ONLY: FusionWeights = { dense: 1, lexical: 0 };

/** One question in both its forms, against the corpus of a tenant. */
export interface ScoredQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  readonly words: QuestionWords;
  readonly weights: FusionWeights;
}

/** A question without a single indexable term has no lexical side; its score is the dense one. */
export function scoredQuery(vector: Float32Array, words: QuestionWords, weights: FusionWeights): ScoredQuery {
  return { vector, words, weights: words.bound === 0 && weights.dense > 0 ? DENSE_ONLY : weights };
}

/** What the two sides found, each in [0, 1], before their weights: `dense` is (1 + cosine) / 2, `lexical` BM25 / bound. */
export interface ScoreParts {
  readonly dense: number;
  readonly lexical: number;
}

/** What a score is made of. @param distance cosine distance of the chunk from the query, 0 to 2 */
export function partsOf(
  score: number,
  distance: number,
  { dense: share, lexical: rest }: FusionWeights,
): ScoreParts {
  const dense = 1 - distance / 2;
  return { dense: inUnit(dense), lexical: rest === 0 ? 0 : inUnit((score - share * dense) / rest) };
}

/** The best score of a chunk that is farther away than `farthest` and that has at most `unread` BM25. */
export function mostBeyond(farthest: number, { words: { unread, bound }, weights }: ScoredQuery): number {
  const lexical = bound === 0 ? 0 : (weights.lexical * unread) / bound;
  return weights.dense * (1 - farthest / 2) + lexical;
}

/** Rounding of a double may leave [0, 1] by its last bit. */
export function inUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}
