import { FilterType, Transformer } from '@napi-rs/image';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { ParseFailure } from '../parse-failure.js';
import { storableText } from '../storable.js';
import { fingerprintOf } from './fingerprint.js';
import { boundedBy, type PageImage } from './page-image.js';

/** Resolution of page images, part of the API contract. */
const DOTS_PER_INCH = 150;
const POINTS_PER_INCH = 72;

/**
 * Renders the pages of a PDF, upright.
 *
 * @param skipped number of leading pages to skip
 * @throws ParseFailure if it cannot be opened, or a page cannot be rendered.
 */
export async function* pagesOfPdf(bytes: Uint8Array, skipped: number): AsyncGenerator<PageImage, void> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes).catch(refuse);
  const pageCount = document.getPageCount();
  if (pageCount === 0) throw new ParseFailure('The PDF has no pages: save it anew and upload that.');
  for (let pageNumber = skipped + 1; pageNumber <= pageCount; pageNumber += 1) {
    const page = document.getPage(pageNumber - 1);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    if (!(originalWidth > 0 && originalHeight > 0)) throw undrawable(pageNumber);
    const text = storableText(page.getText()); // read first, because rendering closes the page
    const scale = DOTS_PER_INCH / POINTS_PER_INCH;
    const [full, tall] = [originalWidth * scale, originalHeight * scale];
    const bound = boundedBy(full, tall);
    const { data, width, height } = await page.render({
      // At least one pixel, even for extremely narrow pages.
      width: Math.max(1, Math.round(full * bound)),
      height: Math.max(1, Math.round(tall * bound)),
      renderFormFields: true,
      render: ({ data: pixels }) => Promise.resolve(pixels),
    });
    const png = await Transformer.fromRgbaPixels(data, width, height).png({
      filterType: FilterType.Adaptive, // measured: the smallest for scans, and not slower
    });
    const fingerprint = await fingerprintOf(Transformer.fromRgbaPixels(data, width, height));
    yield { pageNumber, pageCount, width, height, png, text, fingerprint };
  }
}

function undrawable(pageNumber: number): ParseFailure {
  return new ParseFailure(
    `Page ${pageNumber} of the PDF is damaged and cannot be drawn: open the PDF in a viewer, save it anew and upload that.`,
  );
}

function refuse(cause: unknown): never {
  const locked = cause instanceof Error && /password|security/i.test(cause.message);
  const sentence = locked
    ? 'The PDF is protected by a password: remove the protection and upload it again.'
    : 'The PDF is damaged: open it in a viewer, save it anew and upload that.';
  throw new ParseFailure(sentence, { cause });
}
