import { imageSize } from 'image-size';
import { ParseFailure } from './parse-failure.js';

/** Maximum number of pixels. A decoded pixel takes four bytes, and OCR takes several times as much. */
const MAX_PIXELS = 50_000_000;

/**
 * One page. Its image may be a TIFF file that starts with this page, because decoders of single pictures read only the
 * first page.
 */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly image: () => Uint8Array;
}

/**
 * Returns the pictures of an image file: a single picture, or the pages of a TIFF.
 *
 * @throws ParseFailure if the file is damaged or a picture has too many pixels.
 */
export function picturesOf(bytes: Uint8Array): readonly Picture[] {
  const pages = tiffPages(bytes);
  const pictures = pages.length > 0 ? pages : [{ ...sizeOf(bytes), image: () => bytes }];
  for (const { width, height } of pictures) refuseLarge(width * height);
  return pictures;
}

function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch (error) {
    throw new ParseFailure('The image is truncated or damaged: upload the whole file again.', {
      cause: error,
    });
  }
}

function refuseLarge(pixels: number): void {
  if (pixels <= MAX_PIXELS) return;
  throw new ParseFailure(
    `The image has ${Math.round(pixels / 1e6)} megapixels, and at most ${MAX_PIXELS / 1e6} can be read: scale it down.`,
  );
}

const MAX_PAGES = 5_000;
const [WIDTH, HEIGHT] = [256, 257];
const SHORT = 3;

/** Pages of a TIFF file, by its chain of directories (TIFF 6.0, section 2); empty for other files. */
function tiffPages(bytes: Uint8Array): Picture[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const order = bytes.length < 8 ? 0 : view.getUint16(0);
  const little = order === 0x4949;
  if ((!little && order !== 0x4d4d) || view.getUint16(2, little) !== 42) return [];
  const pages: Picture[] = [];
  const seen = new Set<number>();
  for (let at = view.getUint32(4, little); at !== 0 && !seen.has(at) && pages.length < MAX_PAGES;) {
    seen.add(at);
    const end = at + 2 > bytes.length ? Infinity : at + 2 + view.getUint16(at, little) * 12;
    if (end + 4 > bytes.length) break; // truncated: the pages so far are complete
    const fields = new Map<number, number>();
    for (let field = at + 2; field < end; field += 12) {
      const isShort = view.getUint16(field + 2, little) === SHORT;
      fields.set(
        view.getUint16(field, little),
        isShort ? view.getUint16(field + 8, little) : view.getUint32(field + 8, little),
      );
    }
    const offset = at;
    pages.push({
      width: fields.get(WIDTH) ?? 0,
      height: fields.get(HEIGHT) ?? 0,
      image() {
        const copy = bytes.slice();
        new DataView(copy.buffer).setUint32(4, offset, little);
        return copy;
      },
    });
    at = view.getUint32(end, little);
  }
  return pages;
}
