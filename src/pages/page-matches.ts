import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Scope } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import type { PageRow, ScoredPage } from './page.js';
import type { PageRepository } from './page.repository.js';
import { byScore, type ScoreComponents } from '../chunks/hybrid-score.js';
import { contentTerms } from '../lexical/analyse.js';

export interface PageMatch extends ScoredPage {
  /** Score components of the page's best passage, if the page was found by a passage. */
  readonly score_parts?: ScoreComponents;
}

/** A passage or a page image found by a search. */
export type Match = ScoredChunk | PageMatch;

export function isPage<Row extends object>(row: Row): row is Row & PageRow {
  return 'object_key' in row;
}

/**
 * Constants that map a passage score to the scale of page scores: `BASE` + `SHARE` x score. Without this mapping, pages
 * would outrank passages. Late interaction takes the maximum over a page for every word, so an unrelated page scores
 * .63, whereas a good passage scores only .6 (docs/project/performance.md).
 */
const BASE = 0.43;
const SHARE = 0.5;

/** Tolerance for rounding errors of scores. */
const SLACK = 1e-9;

/** Converts a minimum score from the scale of pages to the scale of passages. */
export function minPassageScore(minScore: number): number {
  return (minScore - BASE) / SHARE - SLACK;
}

/** Merges passages and pages into one ranking on the scale of pages, best first. */
export function fused(chunks: readonly ScoredChunk[], pages: readonly ScoredPage[], limit: number): Match[] {
  const passages = chunks.map((chunk) => ({ ...chunk, score: BASE + SHARE * chunk.score }));
  return [...passages, ...pages].sort(byScore).slice(0, limit);
}

/** The largest integer of PostgreSQL, above every page number. */
const LAST_PAGE = 2_147_483_647;

/**
 * Replaces each passage by the image of its page. A page occurs once, with the score of its best passage. Keeps
 * passages without a page image. A passage on two pages is replaced by the page with more words of the question.
 * @param passages best first
 * @returns best first
 */
export async function withTheirPages(
  repository: PageRepository,
  scope: Scope,
  question: string,
  passages: readonly ScoredChunk[],
): Promise<Match[]> {
  // `number` is null if the passage has no page number. Texts of office documents have no page borders, so every page
  // of the document is a candidate.
  const terms = new Set(contentTerms(question));
  const numbers = new Map<ScoredChunk, number | null>();
  for (const passage of passages) {
    numbers.set(passage, answeringPage(passage, terms));
    if (passage.overlap !== null) await yieldToEventLoop(); // analysing the text blocks the event loop
  }
  const ranges = passages.map((passage) => {
    const number = numbers.get(passage);
    return { documentId: passage.document_id, first: number ?? 1, last: number ?? LAST_PAGE };
  });
  const pages = new Map<string, PageRow[]>();
  for (const page of await repository.within(scope, {}, ranges)) {
    const siblings = pages.get(page.document_id);
    if (siblings === undefined) pages.set(page.document_id, [page]);
    else siblings.push(page);
  }
  const seen = new Set<PageRow>();
  const matches: Match[] = [];
  for (const passage of passages) {
    const { document_id: id, score, score_parts } = passage;
    const number = numbers.get(passage) ?? null;
    const candidates = pages.get(id) ?? [];
    const page =
      number === null
        ? mostSimilar(passage, candidates)
        : candidates.find(({ page_number: candidate }) => candidate === number);
    if (page === undefined) matches.push(passage);
    else if (!seen.has(page)) matches.push({ ...page, score, score_parts });
    if (page !== undefined) seen.add(page);
    if (number === null && candidates.length > 0) await yieldToEventLoop(); // comparing words blocks the event loop
  }
  return matches;
}

/**
 * Returns the page on which a passage has more terms of the question. If both pages have equally many terms, returns
 * the page after the overlap.
 */
function answeringPage(
  { content, page_number: page, overlap: repeated }: ScoredChunk,
  terms: ReadonlySet<string>,
): number | null {
  if (repeated === null) return page;
  const before = sharedWords(terms, new Set(contentTerms(content.slice(0, repeated.length))));
  const own = sharedWords(terms, new Set(contentTerms(content.slice(repeated.length))));
  return before > own ? repeated.pageNumber : page;
}

/** Returns the page that contains the most words of a passage, and the first of several such pages. */
function mostSimilar({ content }: ScoredChunk, pages: readonly PageRow[]): PageRow | undefined {
  const words = wordsOf(content);
  let best: PageRow | undefined;
  let most = 0;
  for (const page of pages) {
    const shared = sharedWords(words, wordsOf(page.content));
    if (shared <= most) continue;
    best = page;
    most = shared;
  }
  return best;
}

const WORD = /[\p{L}\p{N}]{2,}/gu;

/** Returns the distinct words and numbers of a text in lower case. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD));
}

function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return shared;
}
