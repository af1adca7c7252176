import type { QuestionWords } from './bm25.js';

/** Weights of the dense and the lexical score. Their sum is 1. */
export interface FusionWeights {
  readonly dense: number;
  readonly lexical: number;
}

/**
 * Lexical weight for a question that is wholly in the model's vocabulary, measured in docs/project/performance.md (.17 to .29
 * differ little), and for one that is wholly outside of it, whose vector carries no information.
 */
const IN_VOCABULARY = 0.26;
const OUT_OF_VOCABULARY = 0.85;

/** Below 1, so that one unreadable word outweighs its share, but company names and years do not dominate. */
const UNREADABLE_POWER = 0.75;

/**
 * Weights of the absolute hybrid score `dense x similarity + lexical x BM25 / bound`, a convex combination with theoretical
 * bounds (after Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023, with the bound taken
 * from the query alone). They depend on the question alone.
 * @param unreadable share of the question that the embedding model cannot read, 0 to 1
 */
export function hybridWeights(unreadable: number): FusionWeights {
  const lexical = IN_VOCABULARY + (OUT_OF_VOCABULARY - IN_VOCABULARY) * unreadable ** UNREADABLE_POWER;
  return { dense: 1 - lexical, lexical };
}

export const DENSE_ONLY: FusionWeights = { dense: 1, lexical: 0 };

/** A question as a vector and as words, weighted for the tenant's corpus. */
export interface ScoredQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Cosine of unrelated texts, which maps to a similarity of 0; -1 to 1. */
  readonly cosineFloor: number;
  readonly words: QuestionWords;
  /** `DENSE_ONLY` for a question without indexable terms. */
  readonly weights: FusionWeights;
}

/** Score components, each in [0, 1], with their weights: `dense` is the similarity, `lexical` is BM25 / bound. */
export interface ScoreComponents {
  readonly dense: number;
  readonly lexical: number;
  readonly weights: FusionWeights;
}

/** (cosine - floor) / (1 - floor), at least 0. @param distance cosine distance, 0 to 2 */
export function similarityOf(distance: number, { cosineFloor }: Pick<ScoredQuery, 'cosineFloor'>): number {
  return inUnit(1 - distance / (1 - cosineFloor));
}

/** Splits a score into its components. @param distance cosine distance of the chunk from the query, 0 to 2 */
export function componentsOf(score: number, distance: number, query: ScoredQuery): ScoreComponents {
  const { weights } = query;
  const dense = similarityOf(distance, query);
  const lexical = weights.lexical === 0 ? 0 : inUnit((score - weights.dense * dense) / weights.lexical);
  return { dense, lexical, weights };
}

/** Upper bound of the score of a chunk beyond the distance `farthest` and in none of the posting lists that were read. */
export function maxScoreBeyond(farthest: number, query: ScoredQuery): number {
  const { words, weights } = query;
  const lexical = words.bound === 0 ? 0 : words.skippedBound / words.bound;
  return weights.dense * similarityOf(farthest, query) + weights.lexical * lexical;
}

/** Clamps rounding errors in the last bit. */
export function inUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Sorts by descending score. */
export function byScore(one: { readonly score: number }, other: { readonly score: number }): number {
  return other.score - one.score;
}
