import type { PageSpan } from '../splitting/piece.js';

const BETWEEN_PAGES = '\n\n';

/** Joins the texts of pages 1, 2, ... with a blank line between those that have text. */
export function joinPages(texts: readonly string[]): { readonly text: string; readonly pages: PageSpan[] } {
  const parts: string[] = [];
  const pages: PageSpan[] = [];
  let length = 0;
  for (const [index, page] of texts.entries()) {
    if (page !== '' && length > 0) {
      parts.push(BETWEEN_PAGES);
      length += BETWEEN_PAGES.length;
    }
    pages.push({ pageNumber: index + 1, start: length, end: length + page.length });
    parts.push(page);
    length += page.length;
  }
  return { text: parts.join(''), pages };
}
