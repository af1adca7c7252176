import type { RetrievedChunk } from './retrieval.types.js';

type PagedChunk = Pick<RetrievedChunk, 'pageNumber' | 'overlap'>;

/**
 * The page of a place in the content of a chunk, 1-based; null when unknown.
 * @param offset in UTF-16 code units
 */
export function pageAt({ pageNumber, overlap }: PagedChunk, offset: number): number | null {
  return overlap !== null && offset < overlap.length ? overlap.pageNumber : pageNumber;
}

/** Every page that the content of a chunk is on, in order; empty when unknown. */
export function pagesOf({ pageNumber, overlap }: PagedChunk): number[] {
  if (pageNumber === null) return [];
  return overlap === null ? [pageNumber] : [overlap.pageNumber, pageNumber];
}

/** A name with the pages of a chunk: `manual.pdf, page 3`, `manual.pdf, pages 2-3`; the name alone when unknown. */
export function withPages(name: string, chunk: PagedChunk): string {
  const pages = pagesOf(chunk);
  if (pages.length === 0) return name;
  return `${name}, ${pages.length === 1 ? 'page' : 'pages'} ${pages.join('-')}`;
}
