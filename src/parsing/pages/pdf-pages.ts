import { FilterType, Transformer } from '@napi-rs/image';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { ParseFailure } from '../parse-failure.js';
import { storableText } from '../storable.js';
import { fingerprintOf } from './fingerprint.js';
import { boundedBy, type PageImage } from './page-image.js';

/** Of page images, as the contract has it. */
const DOTS_PER_INCH = 150;
const POINTS_PER_INCH = 72;

/**
 * Draws the pages of a PDF, upright as a viewer shows them.
 * @param skipped pages at the beginning that are not drawn
 * @throws ParseFailure when it cannot be opened, or a page not drawn.
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
    const text = storableText(page.getText()); // before it is drawn, which closes it
    const scale = DOTS_PER_INCH / POINTS_PER_INCH;
    const [full, tall] = [originalWidth * scale, originalHeight * scale];
    const bound = boundedBy(full, tall);
    const { data, width, height } = await page.render({
      // Whole pixels: a page that is a hair's breadth wide has one.
      width: Math.max(1, Math.round(full * bound)),
      height: Math.max(1, Math.round(tall * bound)),
      renderFormFields: true,
      render: ({ data: pixels }) => Promise.resolve(pixels),
    });
    const png = await Transformer.fromRgbaPixels(data, width, height).png({
      filterType: FilterType.Adaptive, // of what was tried the smallest for scans, and no slower
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
