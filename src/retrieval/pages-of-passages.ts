import { setImmediate as others } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import { compileSelection } from '../filters/document-predicate.js';
import type { DocumentRange } from '../filters/document-ranges.js';
import type { PageRow } from '../chunks/page.js';
import { PageRepository } from '../chunks/page.repository.js';
import { wordsOf } from './word-overlap.js';
import type { Match } from './fuse.js';

/** Above every page number: the largest integer of PostgreSQL. */
const LAST_PAGE = 2_147_483_647;

/** Finds the images of the pages that passages stand on. */
@Injectable()
export class PagesOfPassages {
  constructor(private readonly pages: PageRepository) {}

  /**
   * Passages whose page has an image become that page, once, with the score of its best passage; the others stay.
   * @param passages best first
   * @returns best first
   */
  async of(scope: Scope, passages: readonly ScoredChunk[]): Promise<Match[]> {
    const pages = await this.around(scope, passages);
    const seen = new Set<PageRow>();
    const matches: Match[] = [];
    for (const passage of passages) {
      const page = pages.get(passage);
      const { score, score_parts } = passage;
      if (page === undefined) matches.push(passage);
      else if (!seen.has(page)) {
        matches.push({ ...page, score, score_parts });
      }
      if (page !== undefined) seen.add(page);
    }
    return matches;
  }

  private async around(
    scope: Scope,
    passages: readonly ScoredChunk[],
  ): Promise<ReadonlyMap<ScoredChunk, PageRow>> {
    const found = await this.pages.within(scope, compileSelection(scope, {}), passages.map(rangeOf));
    const documents = new Map<string, PageRow[]>();
    for (const page of found) {
      const siblings = documents.get(page.document_id);
      if (siblings === undefined) documents.set(page.document_id, [page]);
      else siblings.push(page);
    }
    const pages = new Map<ScoredChunk, PageRow>();
    for (const passage of passages) {
      const { document_id: documentId, page_number: pageNumber } = passage;
      const candidates = documents.get(documentId) ?? [];
      const page =
        pageNumber === null
          ? mostOf(passage, candidates)
          : candidates.find((one) => one.page_number === pageNumber);
      if (page !== undefined) pages.set(passage, page);
      if (pageNumber === null && candidates.length > 0) await others(); // words are compared on the event loop
    }
    return pages;
  }
}

/** What is read of an office document does not say where its pages end: any of them may hold the passage. */
function rangeOf({ document_id: documentId, page_number: pageNumber }: ScoredChunk): DocumentRange {
  return { documentId, first: pageNumber ?? 1, last: pageNumber ?? LAST_PAGE };
}

/** The page that holds the most words of a passage; the first of several. */
function mostOf({ content }: ScoredChunk, pages: readonly PageRow[]): PageRow | undefined {
  const words = wordsOf(content);
  let best: PageRow | undefined;
  let most = 0;
  for (const page of pages) {
    const shared = [...wordsOf(page.content)].filter((word) => words.has(word)).length;
    if (shared <= most) continue;
    best = page;
    most = shared;
  }
  return best;
}
