import { imageSize } from 'image-size';
import { TextRecognizer } from '../ocr/text-recognizer.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';

/** Decoded, a pixel takes four bytes, and recognition several times that. */
const MOST_PIXELS = 50_000_000;

/** The text in a picture, by optical character recognition; it is one page. */
export const parseImage: Parser = async ({ bytes }) => {
  const { width, height } = sizeOf(bytes);
  if (width * height > MOST_PIXELS) {
    throw new ParseFailure(
      `The image has ${Math.round((width * height) / 1e6)} megapixels, and at most ${MOST_PIXELS / 1e6} can be read: scale it down.`,
    );
  }
  const recognizer = new TextRecognizer();
  try {
    const text = await recognizer.textOf(bytes);
    return {
      text,
      textType: 'text/plain',
      pages: [{ pageNumber: 1, start: 0, end: text.length }],
      pageCount: 1,
      properties: { width, height, pages: [{ page_number: 1, text_source: 'ocr' }] },
    };
  } finally {
    await recognizer.close();
  }
};

/** Width and height as the head of the file states them, so that nothing is decoded yet. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch (error) {
    throw new ParseFailure('The image is cut off or damaged: upload the whole file again.', { cause: error });
  }
}
