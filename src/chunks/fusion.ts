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
}

/** What makes the score of a chunk of one corpus, besides its distance. */
export interface Scoring {
  readonly terms: readonly QueryTerm[];
  readonly meanLength: number;
  /** The largest BM25 that a chunk could reach. */
  readonly bound: number;
  readonly weights: FusionWeights;
}

export type ScoredQuery = Scoring & Pick<SearchQuery, 'vector'>;

/** A query without a single indexable term has no lexical side; its score is the dense one. */
export function scoredQuery(
  { vector, weights }: Omit<SearchQuery, 'terms'>,
  { corpus, terms }: Omit<QueryStatistics, 'shareOfAll'>,
): ScoredQuery {
  return {
    vector,
    terms,
    meanLength: meanLength(corpus),
    bound: scoreBound(terms),
    weights: terms.length === 0 && weights.dense > 0 ? DENSE_ONLY : weights,
  };
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
