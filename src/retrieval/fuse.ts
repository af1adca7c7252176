import type { ScoredChunk } from '../chunks/chunk.js';
import type { ScoreParts } from '../chunks/scores.js';
import type { ScoredPage } from '../chunks/page.js';

/** The image of a page, as a search found it. */
export interface PageMatch extends ScoredPage {
  /** Of its best passage, where it was found by that. */
  readonly score_parts?: ScoreParts;
}

/** A passage or the image of a page, as a search found it. */
export type Match = ScoredChunk | PageMatch;

/**
 * What the score of a passage is on the scale of pages: `BASE` + `SHARE` x score. Late interaction takes the best of a
 * page for every word, so that a page that has nothing to do with a question scores .63, above the .6 of a good passage.
 * Measured in docs/performance.md.
 */
const BASE = 0.43;
const SHARE = 0.5;

/** Whether a match is the image of a page. */
export function isPage(match: Match): match is PageMatch {
  return 'object_key' in match;
}

/** For what a score loses by rounding. */
const SLACK = 1e-9;

/** What a passage scores at least that has `minScore` or more on the scale of pages. */
export function minPassageScore(minScore: number): number {
  return (minScore - BASE) / SHARE - SLACK;
}

/** Passages and pages in one ranking on the scale of pages, best first. */
export function fused(chunks: readonly ScoredChunk[], pages: readonly ScoredPage[], limit: number): Match[] {
  const passages = chunks.map((chunk) => ({ ...chunk, score: BASE + SHARE * chunk.score }));
  return [...passages, ...pages].sort((one, other) => other.score - one.score).slice(0, limit);
}
