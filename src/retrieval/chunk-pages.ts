import type { RetrievedChunk } from './retrieval.types.js';

type PagedChunk = Pick<RetrievedChunk, 'pageNumber' | 'overlap'>;

/**
 * Returns the 1-based page of a position in a chunk's content; null when unknown.
 * @param offset in UTF-16 code units
 */
export function pageAt({ pageNumber, overlap }: PagedChunk, offset: number): number | null {
  return overlap !== null && offset < overlap.length ? overlap.pageNumber : pageNumber;
}

/** Returns the pages of a chunk in order; empty when unknown. */
export function pagesOf({ pageNumber, overlap }: PagedChunk): number[] {
  if (pageNumber === null) return [];
  return overlap === null ? [pageNumber] : [overlap.pageNumber, pageNumber];
}

/** Appends a chunk's pages to a name: `manual.pdf, page 3`, `manual.pdf, pages 2-3`. Unknown pages append nothing. */
export function withPages(name: string, chunk: PagedChunk): string {
  const pages = pagesOf(chunk);
  if (pages.length === 0) return name;
  return `${name}, ${pages.length === 1 ? 'page' : 'pages'} ${pages.join('-')}`;
}
