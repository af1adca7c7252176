import type { FusionWeights } from './scores.js';

/**
 * A search goes one of two ways: it measures every matching chunk, or it walks along the vector index until it has met so
 * many matching ones. Measuring costs a look-up for each; the walk, which looks at `candidates / share` chunks of the
 * index, costs the more the fewer of them match.
 */

/** What one step of a walk costs, in chunks measured: 2 cores, PostgreSQL 15, 384 dimensions (docs/performance.md). */
const STEP = 2;

/**
 * A walk that takes this multiple of its expected steps gives up: what is near the question is excluded, and what matches
 * lies where the graph leads to by chance. Measuring is surer then, and takes no longer.
 */
const PATIENCE = 1.2;

/**
 * What matches is far from a question where, of the chunks nearest to it, the filter takes less than this part of what it
 * takes of all.
 */
const FAR = 1 / 3;

/** What is far is about equally far, and what a walk meets first of it is not the nearest: it takes so many times as much. */
const MORE_OF_FAR = 5;

/** Part of the table from which reading all of it is quicker than looking chunks up, whatever PostgreSQL judges of a filter. */
const LOOK_UP_SHARE = 0.15;

export interface Walk {
  readonly measures: false;
  readonly candidates: number;
  readonly maxSteps: number;
}

export type Way = Walk | { readonly measures: true; readonly looksUp: boolean };

/** What is known of a search before it begins. */
export interface Outlook {
  /** Results that are asked for. */
  readonly limit: number;
  /** Matching chunks, as far as a sample tells. */
  readonly matching: number;
  /** Chunks of the tenant. */
  readonly corpus: number;
  /** Chunks in the index, which are those of other tenants, too. */
  readonly allChunks: number;
}

export function wayOf(outlook: Outlook): Way {
  const way = walkOf(outlook, 80 + 2 * outlook.limit);
  return way.measures ? way : { ...way, maxSteps: Math.ceil(PATIENCE * way.maxSteps) };
}

/** Where what matches turned out to be far: a wider walk, as long as measuring would take. */
export function wayToFar(outlook: Outlook): Way {
  const way = walkOf(outlook, MORE_OF_FAR * (80 + 2 * outlook.limit));
  return way.measures ? way : { ...way, maxSteps: Math.ceil(outlook.matching / STEP) };
}

/** With as many steps as are expected. */
function walkOf(outlook: Outlook, candidates: number): Way {
  const { matching, allChunks } = outlook;
  const maxSteps = (candidates * allChunks) / Math.max(matching, 1);
  return matching <= STEP * maxSteps ? measuring(outlook) : { measures: false, candidates, maxSteps };
}

/** @param around how many of the nearest chunks match, of as many as a walk takes; null: all do */
export function isFar({ matching, corpus }: Outlook, around: number | null, candidates: number): boolean {
  return around !== null && around < (FAR * candidates * matching) / corpus;
}

/** Measures every matching chunk. */
export function measuring({ matching, allChunks }: Outlook): Way & { readonly measures: true } {
  return { measures: true, looksUp: matching <= LOOK_UP_SHARE * allChunks };
}

/**
 * Chunks that are looked at for their words, about: the more, the less the vector of the question says. Of those that score
 * best, walk and words together miss .2% then, and 1% where words decide (docs/performance.md).
 */
export function wordCandidates({ dense }: FusionWeights): number {
  return Math.min(1_000, 50 * Math.round(3 / dense));
}
