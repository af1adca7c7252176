import type { QuestionWords } from './bm25.js';

/** Weights of the dense and the lexical score. Their sum is 1. */
export interface FusionWeights {
  readonly dense: number;
  readonly lexical: number;
}

/**
 * Lexical weights for a question that is entirely in the vocabulary of the embedding model, and for a question that is
 * entirely out of vocabulary, whose vector carries no information. docs/project/performance.md has the measurement of
 * the first weight: values from .17 to .29 differ little.
 */
const IN_VOCABULARY = 0.26;
const OUT_OF_VOCABULARY = 0.85;

/**
 * Exponent on the unreadable share of a question. With an exponent below 1, an unreadable word has more effect than its
 * share. With a lower exponent than this one, company names and years would dominate.
 */
const UNREADABLE_POWER = 0.75;

/**
 * Weights of the absolute hybrid score `dense x similarity + lexical x BM25 / bound`, a convex combination with
 * theoretical bounds (after Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023, with
 * the bound taken from the query alone). The weights depend on the question alone.
 * @param unreadable share of the question that the embedding model cannot read, 0 to 1
 */
export function hybridWeights(unreadable: number): FusionWeights {
  const lexical = IN_VOCABULARY + (OUT_OF_VOCABULARY - IN_VOCABULARY) * unreadable ** UNREADABLE_POWER;
  return { dense: 1 - lexical, lexical };
}

export const DENSE_ONLY: FusionWeights = { dense: 1, lexical: 0 };

/** A question as a vector and as weighted terms, with the weights of both scores. */
export interface ScoredQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Cosine (-1 to 1) that maps to a similarity of 0, like all lower cosines. */
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

/** Dense score: (cosine - floor) / (1 - floor), at least 0. @param distance cosine distance, 0 to 2 */
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

/**
 * Upper bound of the score of chunks that the search has not read: farther than `farthest`, and in no posting list that
 * was read.
 */
export function maxScoreBeyond(farthest: number, query: ScoredQuery): number {
  const { words, weights } = query;
  const lexical = words.bound === 0 ? 0 : words.skippedBound / words.bound;
  return weights.dense * similarityOf(farthest, query) + weights.lexical * lexical;
}

/** Clamps a value to [0, 1], because rounding errors may move it out of this range by the last bit. */
export function inUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Comparator for descending scores. */
export function byScore(one: { readonly score: number }, other: { readonly score: number }): number {
  return other.score - one.score;
}
