import type { FusionWeights } from './hybrid-score.js';

/**
 * A search runs one of two ways. A full scan scores every matching chunk: its cost grows with the number of matching
 * chunks. An HNSW search scans the vector index until it has found enough matching candidates: it visits about
 * `candidates / selectivity` chunks, so its cost grows as the filter becomes more selective.
 */

/** Cost of one HNSW visit relative to scoring one chunk: 2 cores, PostgreSQL 15, 384 dimensions (docs/project/performance.md). */
const VISIT_COST = 2;

/**
 * An HNSW search stops after this multiple of its expected visits. The chunks near the question are then filtered out,
 * and the graph reaches the matching ones only by chance; a full scan is exact and costs no more.
 */
const VISIT_MARGIN = 1.2;

/**
 * Filter and question are anticorrelated when the selectivity among the chunks nearest to the question is below this
 * fraction of the overall selectivity.
 */
const ANTICORRELATED = 1 / 3;

/**
 * Oversampling for anticorrelated filters. All matching chunks are then about equally far from the question, and the
 * first ones that an HNSW search finds are not the nearest.
 */
const WIDENED_OVERSAMPLING = 5;

/** Above this share of the table, a sequential scan beats index lookups, whatever the planner estimates for the filter. */
const LOOKUP_SHARE = 0.15;

export interface HnswStrategy {
  readonly kind: 'hnsw';
  /** Nearest matching chunks to collect. */
  readonly candidates: number;
  /** Chunks that the search may visit before it stops. */
  readonly maxVisits: number;
}

export interface FullScanStrategy {
  readonly kind: 'full-scan';
  /** Whether chunks are looked up document by document instead of by a sequential scan. */
  readonly usesLookups: boolean;
}

export type SearchStrategy = HnswStrategy | FullScanStrategy;

/** The input of the choice: cardinalities before the search begins. */
export interface CardinalityEstimate {
  /** Requested results. */
  readonly limit: number;
  /** Chunks that pass the filter, estimated from a sample. */
  readonly matching: number;
  /** Chunks of the tenant. */
  readonly corpus: number;
  /** Chunks in the vector index, which tenants may share. */
  readonly indexed: number;
}

export function chooseStrategy(estimate: CardinalityEstimate): SearchStrategy {
  const strategy = cheaperStrategy(estimate, 80 + 2 * estimate.limit);
  if (strategy.kind === 'full-scan') return strategy;
  return { ...strategy, maxVisits: Math.ceil(VISIT_MARGIN * strategy.maxVisits) };
}

/** For an anticorrelated filter: more candidates, and as many visits as a full scan would cost. */
export function widenedStrategy(estimate: CardinalityEstimate): SearchStrategy {
  const strategy = cheaperStrategy(estimate, WIDENED_OVERSAMPLING * (80 + 2 * estimate.limit));
  if (strategy.kind === 'full-scan') return strategy;
  return { ...strategy, maxVisits: Math.ceil(estimate.matching / VISIT_COST) };
}

/** `maxVisits` is the expected number. */
function cheaperStrategy(estimate: CardinalityEstimate, candidates: number): SearchStrategy {
  const { matching, indexed } = estimate;
  const maxVisits = (candidates * indexed) / Math.max(matching, 1);
  if (matching <= VISIT_COST * maxVisits) return fullScan(estimate);
  return { kind: 'hnsw', candidates, maxVisits };
}

/** @param matchingNearest how many of the nearest `candidates` chunks pass the filter; null: there is no filter */
export function isAnticorrelated(
  { matching, corpus }: CardinalityEstimate,
  matchingNearest: number | null,
  candidates: number,
): boolean {
  return matchingNearest !== null && matchingNearest < (ANTICORRELATED * candidates * matching) / corpus;
}

export function fullScan({ matching, indexed }: CardinalityEstimate): FullScanStrategy {
  return { kind: 'full-scan', usesLookups: matching <= LOOKUP_SHARE * indexed };
}

/**
 * Approximate number of chunks to read from the inverted index: the lower the weight of the vector, the more. Of the best
 * chunks, vector candidates and these together miss .2%, and 1% where words dominate (docs/project/performance.md).
 */
export function lexicalCandidates({ dense }: FusionWeights): number {
  return Math.min(1_000, 50 * Math.round(3 / dense));
}
