import type { QuestionWords } from './question-words.js';

/** How the two sides of hybrid retrieval make one score: they add up to 1. */
export interface FusionWeights {
  readonly dense: number;
  readonly lexical: number;
}

/**
 * What words weigh in a question that the embedding model reads, measured in docs/performance.md (.17 to .29 differ
 * little), and in one that it cannot read at all, whose vector says nothing.
 */
const READ = 0.26;
const UNREAD = 0.85;

/** A single word that is not read counts for more than its share, but not by so much that names of firms and years decide. */
const UNREAD_POWER = 0.75;

/**
 * Weights of the absolute hybrid score `dense x similarity + lexical x BM25 / bound`, a convex combination with theoretical
 * bounds (after Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023, with the bound taken
 * from the query alone). They depend on the question alone.
 * @param unreadable share of the question that the embedding model cannot read, 0 to 1
 */
export function hybridWeights(unreadable: number): FusionWeights {
  const lexical = READ + (UNREAD - READ) * unreadable ** UNREAD_POWER;
  return { dense: 1 - lexical, lexical };
}

export const DENSE_ONLY: FusionWeights = { dense: 1, lexical: 0 };

/** One question in both its forms, against the corpus of a tenant. */
export interface ScoredQuery {
  /** Unit vector in the service's embedding space. */
  readonly vector: Float32Array;
  /** Cosine from which on a vector counts as similar, -1 to 1. */
  readonly cosineFloor: number;
  readonly words: QuestionWords;
  /** A question without a single indexable term has no lexical side; its score is the dense one. */
  readonly weights: FusionWeights;
}

/** What the two sides found, each in [0, 1]: `dense` is the similarity, `lexical` BM25 / bound; and what they weigh. */
export interface ScoreParts {
  readonly dense: number;
  readonly lexical: number;
  readonly weights: FusionWeights;
}

/** (cosine - floor) / (1 - floor), at least 0. @param distance cosine distance, 0 to 2 */
export function similarityOf(distance: number, { cosineFloor }: Pick<ScoredQuery, 'cosineFloor'>): number {
  return inUnit(1 - distance / (1 - cosineFloor));
}

/** What a score is made of. @param distance cosine distance of the chunk from the query, 0 to 2 */
export function partsOf(score: number, distance: number, query: ScoredQuery): ScoreParts {
  const { weights } = query;
  const dense = similarityOf(distance, query);
  const lexical = weights.lexical === 0 ? 0 : inUnit((score - weights.dense * dense) / weights.lexical);
  return { dense, lexical, weights };
}

/** The best score of a chunk that is farther away than `farthest` and whose words were not read. */
export function mostBeyond(farthest: number, query: ScoredQuery): number {
  const { words, weights } = query;
  const lexical = words.bound === 0 ? 0 : words.unread / words.bound;
  return weights.dense * similarityOf(farthest, query) + weights.lexical * lexical;
}

/** Rounding of a double may leave [0, 1] by its last bit. */
export function inUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}
