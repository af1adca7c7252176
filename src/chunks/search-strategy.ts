import type { FusionWeights } from './hybrid-score.js';

/**
 * A search runs in one of two ways. A full scan scores every matching chunk: its cost grows with the number of matching
 * chunks. An HNSW search scans the vector index until it has found enough matching candidates: it visits about
 * `candidates / selectivity` chunks, so its cost grows as the filter becomes more selective.
 */

/**
 * Cost of one HNSW visit relative to the cost of scoring one chunk, measured on 2 cores with PostgreSQL 15 and 384
 * dimensions (docs/project/performance.md).
 */
const VISIT_COST = 2;

/**
 * An HNSW search stops after this multiple of its expected number of visits. If the search has not found enough
 * candidates by then, the filter rejects the chunks near the question, and the graph reaches matching chunks only by
 * chance. A full scan is exact and costs no more. The margin covers two standard deviations of a selectivity of a tenth
 * that is estimated from the sample, and of the number of visits. With less, an unlucky estimate makes every search with
 * the filter a full scan (docs/project/performance.md).
 */
const VISIT_MARGIN = 1.5;

/**
 * Filter and question are anticorrelated when the selectivity among the chunks nearest to the question is below this
 * fraction of the overall selectivity.
 */
const ANTICORRELATED = 1 / 3;

/**
 * If at least this share of the chunks matches, the nearest chunks are not counted, which would cost as much as the search.
 * The search then stops early where filter and question are anticorrelated.
 */
const UNCOUNTED_SHARE = 1 / 3;

/**
 * Factor on the number of candidates for an anticorrelated filter. All matching chunks are then about equally far from
 * the question, so the first chunks that an HNSW search finds are not the nearest chunks.
 */
const WIDENED_OVERSAMPLING = 5;

/**
 * If more than this share of the chunks in the index matches, a sequential scan is faster than lookups, whatever the
 * planner estimates for the filter.
 */
const LOOKUP_SHARE = 0.15;

/**
 * From this number of matching chunks, lookups may run in parallel processes of PostgreSQL, whose start takes some ms
 * (docs/project/performance.md).
 */
const PARALLEL_FROM = 5_000;

export interface HnswStrategy {
  readonly kind: 'hnsw';
  /** Number of nearest matching chunks to collect. */
  readonly candidates: number;
  /** Maximum number of chunks that the search visits (`hnsw.max_scan_tuples`). */
  readonly maxVisits: number;
  /** Whether the search also counts the matching chunks among the nearest chunks. */
  readonly countsNearest: boolean;
}

export interface FullScanStrategy {
  readonly kind: 'full-scan';
  /**
   * How the statement forces PostgreSQL to look up the chunks of each document, which would otherwise scan the table if
   * its estimate for the filter is wrong; none: PostgreSQL chooses.
   */
  readonly lookups: 'none' | 'serial' | 'parallel';
}

export type SearchStrategy = HnswStrategy | FullScanStrategy;

/** Cardinalities known before the search, from which the strategy is chosen. */
export interface CardinalityEstimate {
  readonly limit: number;
  /** Number of chunks that pass the filter, estimated from a sample. */
  readonly matching: number;
  /** Number of chunks of the tenant. */
  readonly chunkCount: number;
  /** Number of chunks in the vector index, which tenants may share. */
  readonly indexed: number;
}

export function chooseStrategy(estimate: CardinalityEstimate): SearchStrategy {
  const strategy = cheaperStrategy(estimate, 80 + 2 * estimate.limit);
  if (strategy.kind === 'full-scan') return strategy;
  const countsNearest = estimate.matching < UNCOUNTED_SHARE * estimate.chunkCount;
  return { ...strategy, maxVisits: Math.ceil(VISIT_MARGIN * strategy.maxVisits), countsNearest };
}

/** The strategy for an anticorrelated filter: more candidates, and at most as many visits as a full scan costs. */
export function widenedStrategy(estimate: CardinalityEstimate): SearchStrategy {
  const strategy = cheaperStrategy(estimate, WIDENED_OVERSAMPLING * (80 + 2 * estimate.limit));
  if (strategy.kind === 'full-scan') return strategy;
  return { ...strategy, maxVisits: Math.ceil(estimate.matching / VISIT_COST) };
}

/** Chooses the cheaper strategy. `maxVisits` is the expected number of visits of an HNSW search, without a margin. */
function cheaperStrategy(estimate: CardinalityEstimate, candidates: number): SearchStrategy {
  const { matching, indexed } = estimate;
  const maxVisits = (candidates * indexed) / Math.max(matching, 1);
  if (matching <= VISIT_COST * maxVisits) return fullScan(estimate);
  return { kind: 'hnsw', candidates, maxVisits, countsNearest: false };
}

/**
 * Tells whether filter and question are anticorrelated.
 * @param matchingNearest how many of the nearest `candidates` chunks pass the filter; null: they were not counted
 */
export function isAnticorrelated(
  { matching, chunkCount }: CardinalityEstimate,
  matchingNearest: number | null,
  candidates: number,
): boolean {
  return matchingNearest !== null && matchingNearest < (ANTICORRELATED * candidates * matching) / chunkCount;
}

export function fullScan({ matching, indexed }: CardinalityEstimate): FullScanStrategy {
  if (matching > LOOKUP_SHARE * indexed) return { kind: 'full-scan', lookups: 'none' };
  return { kind: 'full-scan', lookups: matching < PARALLEL_FROM ? 'serial' : 'parallel' };
}

/**
 * Approximate number of chunks to read from the inverted index. The lower the dense weight, the more chunks are read.
 * Together with the vector candidates, these chunks miss .2% of the best chunks, or 1% where the lexical score
 * dominates (docs/project/performance.md).
 */
export function lexicalCandidates({ dense }: FusionWeights): number {
  return Math.min(1_000, 50 * Math.round(3 / dense));
}
