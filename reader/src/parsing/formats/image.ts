import { joinPages, type Parser } from '../parser.js';
import { picturesOf } from '../pictures.js';
import { SECONDS_PER_PICTURE, TextRecognizer } from '../text-recognizer.js';

/** Reads the text of an image by OCR, as one page. A TIFF may have several pages. */
export const parseImage: Parser = async ({ bytes, allow, onProgress }) => {
  const pictures = picturesOf(bytes);
  const recognizer = new TextRecognizer();
  const texts: string[] = [];
  try {
    for (const { image } of pictures) {
      allow(SECONDS_PER_PICTURE);
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
