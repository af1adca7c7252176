import type { LibreOffice } from '../office/libre-office.js';
import { ParseFailure } from '../parse-failure.js';
import { pageSourceOf } from '../page-source.js';
import type { PageImage } from './page-image.js';

/**
 * The pages of a file as images, in order; office documents are converted to PDF.
 *
 * @param contentType detected type
 * @param skipped number of leading pages to skip
 * @throws ParseFailure if the file cannot be rendered, or LibreOffice is needed and not installed.
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
