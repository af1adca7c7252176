import { meanLength, scoreBound, type QueryStatistics, type QueryTerm } from './bm25.js';

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

/** What is searched for: one question in both its forms. */
export interface SearchQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Distinct lexical terms. */
  readonly terms: readonly string[];
  readonly weights: FusionWeights;
  /** Whether each result says what its score is made of; unset: no. */
  readonly explain?: boolean;
}

/** What the two sides found, each in [0, 1], before their weights: `dense` is (1 + cosine) / 2, `lexical` BM25 / bound. */
export interface ScoreParts {
  readonly dense: number;
  readonly lexical: number;
}

/** What makes the score of a chunk of one corpus, besides its distance. */
export interface Scoring {
  readonly terms: readonly QueryTerm[];
  readonly meanLength: number;
  /** The largest BM25 that a chunk could reach. */
  readonly bound: number;
  readonly weights: FusionWeights;
}

export type ScoredQuery = Scoring & Pick<SearchQuery, 'vector' | 'explain'>;

/** A query without a single indexable term has no lexical side; its score is the dense one. */
export function scoredQuery(
  { vector, weights, explain = false }: Omit<SearchQuery, 'terms'>,
  { corpus, terms }: Omit<QueryStatistics, 'shareOfAll'>,
): ScoredQuery {
  return {
    vector,
    terms,
    meanLength: meanLength(corpus),
    bound: scoreBound(terms),
    weights: terms.length === 0 && weights.dense > 0 ? DENSE_ONLY : weights,
    explain,
  };
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

/** Rounding of a double may leave [0, 1] by its last bit. */
export function inUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The terms that are not among the candidate terms, where words count. */
export function remainingTerms(
  { terms, weights }: Scoring,
  candidateTerms: readonly QueryTerm[],
): readonly QueryTerm[] {
  const candidates = new Set(candidateTerms.map(({ term }) => term));
  return weights.lexical > 0 ? terms.filter(({ term }) => !candidates.has(term)) : [];
}

/** The most that `terms` may add to a score. */
export function maxShare({ weights, bound }: Scoring, terms: readonly QueryTerm[]): number {
  return bound > 0 ? (weights.lexical * scoreBound(terms)) / bound : 0;
}
