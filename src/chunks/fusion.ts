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

/** A query without a single indexable term has no lexical side; its score is the dense one. */
export function weightsFor(weights: FusionWeights, termCount: number): FusionWeights {
  return termCount === 0 && weights.dense > 0 ? DENSE_ONLY : weights;
}
