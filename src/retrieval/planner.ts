import type { QueryTerm } from '../chunks/bm25.js';
import type { Nearest, Sample } from '../chunks/chunk.repository.js';
import {
  ALL_POSTINGS_LIMIT,
  LONG_LIST,
  LOOK_UP_LIMIT,
  LOOK_UP_SHARE,
  MAX_PART_SHARE,
  MAX_WALK,
  MEASURING,
  MEASURING_IN_PART,
  POSTINGS_BUDGET,
  PRIOR_NEIGHBOURS,
  QUICK_LIST,
  QUICK_WALK,
  SCAN_LIMIT,
  allCandidates,
  quickCandidates,
} from '../chunks/cost-model.js';
import type { OrderedPart } from '../filters/sql/ordered-part.js';

/** What is known of a selection before the search. */
export interface Estimate {
  /** Chunks of the tenant. */
  readonly corpus: number;
  /** Share of them that matches, 0 to 1, from a sample of the documents. */
  readonly share: number;
  /** Chunks nearest to the query that were looked at, and how many of them match. */
  readonly near: number;
  readonly nearMatching: number;
  /** The part of the filter in which documents are looked up, if any. */
  readonly foundBy: OrderedPart | null;
}

/** One search over candidates. */
export type Round = Nearest & {
  /** From each side. */
  readonly candidates: number;
  /** An answer as long as asked for is good enough, though a chunk outside the candidates may be better. */
  readonly isThorough: boolean;
};

/** The part of the filter in which documents are looked up: the narrowest. */
export function findingPart({ parts }: Pick<Sample, 'parts'>): OrderedPart | null {
  const [narrowest] = parts.toSorted((a, b) => a.share - b.share);
  return narrowest !== undefined && narrowest.share <= MAX_PART_SHARE ? narrowest.part : null;
}

/** Matching chunks, as far as the sample tells. */
export function estimatedChunks({ corpus, share }: Estimate): number {
  return Math.round(corpus * share);
}

/**
 * The rounds of a search over candidates, each for when the one before was not enough. The first takes few, which are
 * enough when no other chunk can score as high as the last result; hardly ever where the neighbourhood of the query is
 * excluded. The next takes so many that the two sides may disagree (docs/performance.md), along the index or, where
 * that walk would be longer, by measuring every matching chunk. Measuring misses none: it ends the rounds, also where
 * every walk missed what is near.
 * @param hasWords whether some chunk holds a word of the query: only words tell when a walk with a short list was misled.
 */
export function roundsFor(limit: number, estimate: Estimate, hasWords: boolean): readonly Round[] {
  const candidates = allCandidates(limit);
  const thorough = roundOf(candidates, LONG_LIST, estimate);
  const quick = roundOf(quickCandidates(limit), QUICK_LIST, estimate);
  const isQuick =
    quick.nearestBy === 'index' &&
    quick.candidates < thorough.candidates &&
    steps(quick.candidates, estimate) <= QUICK_WALK;
  const mayDo = isQuick && hasWords && !isExcluded(estimate);
  const rounds: Round[] = mayDo ? [{ ...quick, isThorough: false }] : [];
  rounds.push({ ...thorough, isThorough: true });
  if (thorough.nearestBy === 'index') rounds.push({ ...scanOf(candidates, estimate), isThorough: true });
  return rounds;
}

function roundOf(
  candidates: number,
  efSearch: number,
  estimate: Estimate,
): Nearest & Pick<Round, 'candidates'> {
  return walks(candidates, estimate)
    ? { candidates, nearestBy: 'index', efSearch }
    : scanOf(candidates, estimate);
}

/** Measures every matching chunk. */
export function scanOf(candidates: number, estimate: Estimate) {
  const looksUp = estimatedChunks(estimate) <= LOOK_UP_LIMIT && estimate.share <= LOOK_UP_SHARE;
  return { candidates, nearestBy: 'scan', looksUp } as const;
}

function walks(candidates: number, estimate: Estimate): boolean {
  const chunks = estimatedChunks(estimate);
  const walk = steps(candidates, estimate);
  const measuring = (estimate.foundBy === null ? MEASURING : MEASURING_IN_PART) * chunks;
  return chunks > SCAN_LIMIT && walk <= MAX_WALK && walk <= measuring;
}

/** How many chunks a walk through the index looks at until so many match. */
function steps(candidates: number, { share, near, nearMatching }: Estimate): number {
  const shareNear = (nearMatching + PRIOR_NEIGHBOURS * share) / (near + PRIOR_NEIGHBOURS);
  return candidates / shareNear;
}

/** Hardly any of the query's neighbourhood matches: what is lies beyond it, and is much alike. */
function isExcluded({ share, near, nearMatching }: Estimate): boolean {
  return nearMatching < (share * near) / 2;
}

/**
 * The terms whose postings are read for candidates: all of them while that is cheap, otherwise the rarest ones until
 * the budget is used up, and always the rarest one that any chunk holds.
 */
export function candidateTerms(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  const total = terms.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  if (total <= ALL_POSTINGS_LIMIT) return terms;
  const chosen: QueryTerm[] = [];
  let used = 0;
  for (const term of terms.toSorted((a, b) => a.chunkCount - b.chunkCount)) {
    if (used > 0 && used + term.chunkCount > POSTINGS_BUDGET) break;
    chosen.push(term);
    used += term.chunkCount;
  }
  return chosen;
}
