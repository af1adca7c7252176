import type { LibreOffice } from '../office/libre-office.js';
import { ParseFailure } from '../parse-failure.js';
import { type PageSource, pageSourceOf } from '../page-source.js';
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
  const source = sourceOf(contentType);
  if (source.drawn === 'picture') yield* (await import('./picture-pages.js')).pagesOfPicture(bytes, skipped);
  else {
    const pdf =
      source.drawn === undefined ? await office.convert(bytes, { from: source.from, to: 'pdf' }) : bytes;
    yield* (await import('./pdf-pages.js')).pagesOfPdf(pdf, skipped);
  }
}

/** A document as PDF. */
export interface ConvertedPdf {
  readonly pdf: Uint8Array;
  readonly pageCount: number;
}

/** Maximum size of a PDF for display. The service holds it in memory while it draws a page. */
const MAX_PDF = 128 * 2 ** 20;

/**
 * Converts an office document to PDF for display.
 *
 * @param contentType detected type
 * @throws ParseFailure if the file cannot be converted, or if LibreOffice is not installed.
 */
export async function convertedToPdf(
  bytes: Uint8Array,
  contentType: string,
  office: Pick<LibreOffice, 'convert'>,
): Promise<ConvertedPdf> {
  const source = sourceOf(contentType);
  if (source.drawn !== undefined)
    throw new Error(`files of type ${contentType} are drawn without a conversion`);
  const pdf = await office.convert(bytes, { from: source.from, to: 'pdf' });
  if (pdf.length > MAX_PDF) throw new ParseFailure('The pages of the file are too large to be shown.');
  return { pdf, pageCount: await (await import('./pdf-pages.js')).pageCountOf(pdf) };
}

/** Yields the words of each page of a PDF, in order. @throws ParseFailure if the file cannot be opened. */
export async function* wordsOfPages(pdf: Uint8Array): AsyncGenerator<string[], void> {
  yield* (await import('./pdf-pages.js')).wordsOfPdf(pdf);
}

function sourceOf(contentType: string): PageSource {
  const source = pageSourceOf(contentType);
  if (source === undefined) throw new ParseFailure(`Files of type ${contentType} have no pages.`);
  return source;
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
