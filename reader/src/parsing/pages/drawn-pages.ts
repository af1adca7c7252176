import type { LibreOffice } from '../office/libre-office.js';
import { ParseFailure } from '../parse-failure.js';
import { pageSourceOf } from '../page-source.js';
import type { PageImage, PageView } from './page-image.js';

/**
 * Yields the pages of a file as images, in order. Office documents are converted to PDF first.
 *
 * @param contentType detected type
 * @param skipped number of leading pages to skip
 * @throws ParseFailure if the file cannot be rendered, or if it needs LibreOffice and LibreOffice is not installed.
 */
export async function* drawnPages(
  bytes: Uint8Array,
  contentType: string,
  skipped: number,
  office: Pick<LibreOffice, 'convert'>,
): AsyncGenerator<PageImage, void> {
  const source = pageSourceOf(contentType);
  if (source === undefined) throw new ParseFailure(`Files of type ${contentType} have no pages.`);
  if (source.drawn === 'picture') yield* (await import('./picture-pages.js')).pagesOfPicture(bytes, skipped);
  else {
    const pdf =
      source.drawn === undefined ? await office.convert(bytes, { from: source.from, to: 'pdf' }) : bytes;
    yield* (await import('./pdf-pages.js')).pagesOfPdf(pdf, skipped);
  }
}

/**
 * Returns one page of a file for display. Only formats that are rendered without a conversion have views.
 *
 * @param contentType detected type
 * @returns null if there is no such page
 * @throws ParseFailure if the file cannot be rendered.
 */
export async function pageView(
  bytes: Uint8Array,
  contentType: string,
  pageNumber: number,
): Promise<PageView | null> {
  const drawn = pageSourceOf(contentType)?.drawn;
  if (drawn === 'pdf') return (await import('./pdf-pages.js')).viewOfPdf(bytes, pageNumber);
  if (drawn === undefined || pageNumber < 1) return null;
  const pages = (await import('./picture-pages.js')).pagesOfPicture(bytes, pageNumber - 1);
  for await (const page of pages) return { ...page, words: [] };
  return null;
}
