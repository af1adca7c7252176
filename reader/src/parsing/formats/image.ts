import { decoderOf } from '../pages/picture-pages.js';
import { joinPages, type Parser } from '../parser.js';
import type { GreyPixels } from '../pdf/page-raster.js';
import { picturesOf } from '../pictures.js';
import { SECONDS_PER_PICTURE, TextRecognizer } from '../text-recognizer.js';

/** Reads the text of an image by OCR, as one page. A TIFF may have several pages. */
export const parseImage: Parser = async ({ bytes, allow, onProgress }) => {
  const pictures = picturesOf(bytes);
  const recognizer = new TextRecognizer();
  const texts: string[] = [];
  const pages: Record<string, unknown>[] = [];
  try {
    for (const [index, { width, height, image }] of pictures.entries()) {
      allow(SECONDS_PER_PICTURE);
      const own = image();
      const { text, isDoubtful } = await recognizer.read({ image: own, pixels: () => greyPixelsOf(own) });
      texts.push(text);
      pages.push({
        page_number: index + 1,
        width,
        height,
        text_source: 'ocr',
        ...(isDoubtful ? { is_doubtful: true } : {}),
      });
      onProgress(texts.length, pictures.length);
    }
  } finally {
    await recognizer.close();
  }
  return {
    ...joinPages(texts),
    textType: 'text/plain',
    pageCount: pictures.length,
    properties: { pages },
  };
};

/** @returns null if the decoder does not support the image. OCR has another decoder, and has read the image. */
async function greyPixelsOf(image: Uint8Array): Promise<GreyPixels | null> {
  try {
    const turned = decoderOf(image);
    turned.rotate(); // as Exif says
    const upright = decoderOf(await turned.png());
    const { width, height } = await upright.metadata();
    return { data: onWhite(await upright.grayscale().rawPixels(), width * height), width, height };
  } catch {
    return null;
  }
}

/** @param pixels grey, or grey and alpha */
function onWhite(pixels: Uint8Array, count: number): Uint8Array {
  if (pixels.length < 2 * count) return pixels;
  return Uint8Array.from({ length: count }, (_, at) => {
    const alpha = (pixels[2 * at + 1] ?? 255) / 255;
    return 255 - alpha * (255 - (pixels[2 * at] ?? 0));
  });
}
