import { objectsOf } from './page-objects.js';
import { drawInGrey, type GreyPixels } from './page-raster.js';
import type { PdfiumFile } from './pdfium-file.js';

/** Best resolution for OCR. */
const DOTS_PER_INCH = 200;
const MAX_PIXELS = 8_000_000;

/** Minimum brightness (0 to 255) of all pixels of a blank page. */
const BLANK_FROM = 200;

/**
 * Draws a page for OCR.
 *
 * @param pageNumber 1-based
 * @param withText whether visible text is drawn; text that is already read is left out
 * @returns null if nothing is drawn
 */
export function pageForRecognition(
  file: PdfiumFile,
  pageNumber: number,
  withText: boolean,
): GreyPixels | null {
  const pixels = file.onPage(pageNumber, (page) => {
    if (!withText) {
      for (const { kind, object } of objectsOf(file, page)) {
        if (kind === 'text') file.module._FPDFPageObj_SetIsActive(object, 0);
      }
    }
    return drawInGrey(file, page, DOTS_PER_INCH, MAX_PIXELS);
  });
  return pixels === undefined || pixels.data.every((pixel) => pixel > BLANK_FROM) ? null : pixels;
}
