import type { QueryTerm } from '../chunks/bm25.js';
import type { Nearest, Sample } from '../chunks/chunk.repository.js';
import type { OrderedPart } from '../filters/ordered-part.js';

/**
 * Chunks in scope up to which every one is counted and scored, with a look-up for each of them and each word. Above this
 * it is quicker to measure every one and to look frequent words up for the best only, which hardly misses one; see
 * docs/performance.md.
 */
export const EXACT_LIMIT = 200;

/** Chunks that a wrong estimate may lead to being scored before the search turns to candidates. */
export const EXACT_GUARD = 2 * EXACT_LIMIT;

/** Chunks in scope up to which all of them are measured: a walk, which may miss some, would hardly be quicker. */
const SCAN_LIMIT = 1_000;

/** Chunks in scope up to which a scan looks them up document by document, however PostgreSQL judges the filter. */
const LOOK_UP_LIMIT = 5_000;

/** Part of the corpus from which reading all of it is quicker than looking chunks up, on one core. */
const LOOK_UP_SHARE = 0.15;

/** Postings read for the lexical candidates. */
export const POSTINGS_BUDGET = 4_000;

/** Postings up to which all terms are read rather than the rarest ones only. */
const ALL_POSTINGS_LIMIT = 12_000;

/** Chunks of the index that a walk looks at before it gives up; pgvector's `hnsw.max_scan_tuples`. */
const LONGEST_WALK = 20_000;

/** What it costs to measure a chunk in scope, in units of a step of a walk through the index and its look-up. */
const MEASURING = 0.42;

/** The same where documents are looked up by their ids, one after the other, on one core. */
const MEASURING_IN_PART = 0.6;

/** Part of the corpus from which reading every document is quicker than looking documents up. */
const PART_SHARE = 0.25;

/** How many chunks of the sample near the query the share over all documents weighs as much as. */
const PRIOR = 60;

/** Steps up to which a first round is quick enough to be tried before the last one. */
const QUICK_WALK = 1_500;

/** Length of the index's dynamic list in the first round and in the last one. */
const QUICK_LIST = 100;
const LONG_LIST = 1_000;

/** What is known of a selection before the search. */
export interface Estimate {
  /** Chunks of the tenant. */
  readonly corpus: number;
  /** Share of them in scope, 0 to 1, from a sample of the documents. */
  readonly share: number;
  /** Chunks nearest to the query that were looked at, and how many of them are in scope. */
  readonly near: number;
  readonly nearInScope: number;
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
  return narrowest !== undefined && narrowest.share <= PART_SHARE ? narrowest.part : null;
}

/** Chunks in scope, as far as the sample tells. */
export function estimatedChunks({ corpus, share }: Estimate): number {
  return Math.round(corpus * share);
}

/**
 * The rounds of a search over candidates, each for when the one before was not enough. The first takes few, which are
 * enough when no other chunk can score as high as the last result; hardly ever where the neighbourhood of the query is
 * out of scope. The next takes so many that the two sides may disagree (docs/performance.md), along the index or, where
 * that walk would be longer, by measuring every chunk in scope. Measuring misses none: it ends the rounds, also where
 * every walk went astray.
 * @param hasWords whether some chunk holds a word of the query: only words tell when a walk with a short list went astray.
 */
export function roundsFor(limit: number, estimate: Estimate, hasWords: boolean): readonly Round[] {
  const candidates = candidatesFor(limit);
  const thorough = roundOf(candidates, LONG_LIST, estimate);
  const quick = roundOf(80 + 2 * limit, QUICK_LIST, estimate);
  const isQuick =
    quick.nearestBy === 'index' &&
    quick.candidates < thorough.candidates &&
    steps(quick.candidates, estimate) <= QUICK_WALK;
  const mayDo = isQuick && hasWords && !isSecluded(estimate);
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

function scanOf(candidates: number, estimate: Estimate) {
  const looksUp = estimatedChunks(estimate) <= LOOK_UP_LIMIT && estimate.share <= LOOK_UP_SHARE;
  return { candidates, nearestBy: 'scan', looksUp } as const;
}

function walks(candidates: number, estimate: Estimate): boolean {
  const chunks = estimatedChunks(estimate);
  const walk = steps(candidates, estimate);
  const measuring = (estimate.foundBy === null ? MEASURING : MEASURING_IN_PART) * chunks;
  return chunks > SCAN_LIMIT && walk <= LONGEST_WALK && walk <= measuring;
}

/** How many chunks a walk through the index looks at until so many are in scope. */
function steps(candidates: number, { share, near, nearInScope }: Estimate): number {
  const shareNear = (nearInScope + PRIOR * share) / (near + PRIOR);
  return candidates / shareNear;
}

/** Hardly any of the query's neighbourhood is in scope: what is lies beyond it, and is much alike. */
function isSecluded({ share, near, nearInScope }: Estimate): boolean {
  return nearInScope < (share * near) / 2;
}

/**
 * The terms whose postings are read for candidates: all of them while that is cheap, otherwise the rarest ones until
 * the budget is used up, and always the rarest one that any chunk holds.
 */
export function candidateTerms(terms: readonly QueryTerm[]): string[] {
  const total = terms.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  if (total <= ALL_POSTINGS_LIMIT) return terms.map(({ term }) => term);
  const chosen: string[] = [];
  let used = 0;
  for (const { term, chunkCount } of terms.toSorted((a, b) => a.chunkCount - b.chunkCount)) {
    if (used > 0 && used + chunkCount > POSTINGS_BUDGET) break;
    chosen.push(term);
    used += chunkCount;
  }
  return chosen;
}

/** Candidates from each side in the last round: room for the two sides to disagree. */
function candidatesFor(limit: number): number {
  return 350 + Math.ceil(1.5 * limit);
}
