import { setImmediate as others } from 'node:timers/promises';
import type { Scope } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import type { PageRow, ScoredPage } from '../chunks/page.js';
import type { PageRepository } from '../chunks/page.repository.js';
import type { ScoreParts } from '../chunks/scores.js';
import { contentTerms } from '../lexical/analyse.js';

/** The image of a page, as a search found it. */
export interface PageMatch extends ScoredPage {
  /** Of its best passage, where it was found by that. */
  readonly score_parts?: ScoreParts;
}

/** A passage or the image of a page, as a search found it. */
export type Match = ScoredChunk | PageMatch;

/** Whether a row is that of the image of a page. */
export function isPage<Row extends object>(row: Row): row is Row & PageRow {
  return 'object_key' in row;
}

/**
 * What the score of a passage is on the scale of pages: `BASE` + `SHARE` x score. Late interaction takes the best of a
 * page for every word, so that a page that has nothing to do with a question scores .63, above the .6 of a good passage.
 * Measured in docs/performance.md.
 */
const BASE = 0.43;
const SHARE = 0.5;

/** For what a score loses by rounding. */
const SLACK = 1e-9;

/** What a passage scores at least that has `minScore` or more on the scale of pages. */
export function minPassageScore(minScore: number): number {
  return (minScore - BASE) / SHARE - SLACK;
}

/** Passages and pages in one ranking on the scale of pages, best first. */
export function fused(chunks: readonly ScoredChunk[], pages: readonly ScoredPage[], limit: number): Match[] {
  const passages = chunks.map((chunk) => ({ ...chunk, score: BASE + SHARE * chunk.score }));
  return [...passages, ...pages].sort(byScore).slice(0, limit);
}

/** Best first. */
export function byScore(one: Match, other: Match): number {
  return other.score - one.score;
}

/** Above every page number: the largest integer of PostgreSQL. */
const LAST_PAGE = 2_147_483_647;

/**
 * Passages whose page has an image become that page, once, with the score of its best passage; the others stay. A passage
 * on two pages becomes the one that holds more words of the question.
 * @param passages best first
 * @returns best first
 */
export async function withTheirPages(
  repository: PageRepository,
  scope: Scope,
  question: string,
  passages: readonly ScoredChunk[],
): Promise<Match[]> {
  // What is read of an office document does not say where its pages end: any of them may hold the passage.
  const terms = new Set(contentTerms(question));
  const numbers = new Map<ScoredChunk, number | null>();
  for (const passage of passages) {
    numbers.set(passage, answeringPage(passage, terms));
    if (passage.overlap !== null) await others(); // words are analysed on the event loop
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
        ? mostOf(passage, candidates)
        : candidates.find(({ page_number: candidate }) => candidate === number);
    if (page === undefined) matches.push(passage);
    else if (!seen.has(page)) matches.push({ ...page, score, score_parts });
    if (page !== undefined) seen.add(page);
    if (number === null && candidates.length > 0) await others(); // words are compared on the event loop
  }
  return matches;
}

/** The page of a passage that holds more of the question's terms, that of its body where both hold as many. */
function answeringPage(
  { content, page_number: page, overlap: repeated }: ScoredChunk,
  terms: ReadonlySet<string>,
): number | null {
  if (repeated === null) return page;
  const before = sharedWords(terms, new Set(contentTerms(content.slice(0, repeated.length))));
  const own = sharedWords(terms, new Set(contentTerms(content.slice(repeated.length))));
  return before > own ? repeated.pageNumber : page;
}

/** The page that holds the most words of a passage; the first of several. */
function mostOf({ content }: ScoredChunk, pages: readonly PageRow[]): PageRow | undefined {
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

/** The different words and numbers of a text, in lower case. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD));
}

/**
 * How many words two texts have in common, from 0 to 1, which is all of them: the coefficient of Dice (1945, "Measures of
 * the Amount of Ecologic Association Between Species").
 */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const total = one.size + other.size;
  return total === 0 ? 0 : (2 * sharedWords(one, other)) / total;
}

function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return shared;
}
