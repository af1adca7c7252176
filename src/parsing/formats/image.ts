import { imageSize } from 'image-size';
import { TextRecognizer } from '../ocr/text-recognizer.js';
import { tiffPages } from '../ocr/tiff-pages.js';
import { joinPages } from '../pages.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';

/** Decoded, a pixel takes four bytes, and recognition several times that. */
const MOST_PIXELS = 50_000_000;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly image: () => Uint8Array;
}

/** The text in a picture, by optical character recognition. It is one page; a TIFF may have more. */
export const parseImage: Parser = async ({ bytes, onProgress }) => {
  const pictures = picturesOf(bytes);
  for (const { width, height } of pictures) refuseLarge(width * height);
  const recognizer = new TextRecognizer();
  const texts: string[] = [];
  try {
    for (const { image } of pictures) {
      texts.push(await recognizer.textOf(image()));
      onProgress(texts.length, pictures.length);
    }
  } finally {
    await recognizer.close();
  }
  return {
    ...joinPages(texts),
    textType: 'text/plain',
    pageCount: pictures.length,
    properties: {
      pages: pictures.map(({ width, height }, i) => ({
        page_number: i + 1,
        width,
        height,
        text_source: 'ocr',
      })),
    },
  };
};

function picturesOf(bytes: Uint8Array): readonly Picture[] {
  const pages = tiffPages(bytes);
  return pages.length > 0 ? pages : [{ ...sizeOf(bytes), image: () => bytes }];
}

/** Width and height as the head of the file states them, so that nothing is decoded yet. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch (error) {
    throw new ParseFailure('The image is cut off or damaged: upload the whole file again.', { cause: error });
  }
}

function refuseLarge(pixels: number): void {
  if (pixels <= MOST_PIXELS) return;
  throw new ParseFailure(
    `The image has ${Math.round(pixels / 1e6)} megapixels, and at most ${MOST_PIXELS / 1e6} can be read: scale it down.`,
  );
}
