import type { PageRectangle } from './page-rectangle.js';
import type { PdfiumFile } from './pdfium-file.js';

export interface GreyPixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const GREY_FORMAT = 1;
const WHITE = 0xffffffff;

/** Flags FPDF_ANNOT and FPDF_GRAYSCALE. */
const WITH_ANNOTATIONS_IN_GREY = 0x01 | 0x08;

const POINTS_PER_INCH = 72;

/**
 * Draws a page upright, as a viewer shows it.
 *
 * @param page a page that PDFium has opened
 * @param maxPixels lowers the resolution of large pages
 * @throws Error if there is not enough memory
 */
export function drawInGrey(
  { module }: PdfiumFile,
  page: number,
  dotsPerInch: number,
  maxPixels: number,
): GreyPixels {
  const [across, down] = [module._FPDF_GetPageWidth(page), module._FPDF_GetPageHeight(page)];
  const scale = Math.min(dotsPerInch / POINTS_PER_INCH, Math.sqrt(maxPixels / Math.max(1, across * down)));
  const width = Math.max(1, Math.round(across * scale));
  const height = Math.max(1, Math.round(down * scale));
  const pixels = module.wasmExports.malloc(width * height);
  if (pixels === 0) throw new Error('Not enough memory to draw the page.');
  try {
    const bitmap = module._FPDFBitmap_CreateEx(width, height, GREY_FORMAT, pixels, width);
    module._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    module._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS_IN_GREY);
    module._FPDFBitmap_Destroy(bitmap);
    return { data: module.HEAPU8.slice(pixels, pixels + width * height), width, height };
  } finally {
    module.wasmExports.free(pixels);
  }
}

/** Difference between the lightest and the darkest pixel of a part of a page, 0 to 255. */
export function contrastIn({ data, width, height }: GreyPixels, part: PageRectangle): number {
  const from = [part.left * width, part.top * height].map((at) => Math.max(0, Math.round(at)));
  const [left = 0, top = 0] = from;
  const right = Math.min(width, Math.max(left + 1, Math.round((part.left + part.width) * width)));
  const bottom = Math.min(height, Math.max(top + 1, Math.round((part.top + part.height) * height)));
  let [least, most] = [255, 0];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const value = data[y * width + x] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return Math.max(0, most - least);
}
