import { ResizeFit, Transformer } from '@napi-rs/image';
import { GifReader } from 'omggif';
import { ParseFailure } from '../parse-failure.js';
import { picturesOf } from '../pictures.js';
import { fingerprintOf } from './fingerprint.js';
import { boundedBy, type PageImage } from './page-image.js';

/** First Exif orientation with swapped width and height (Exif 2.32, tag 0x0112). */
const FIRST_QUARTER_TURN = 5;

/**
 * Yields images as pages, upright according to Exif: each page of a TIFF, and the first frame of an animation.
 *
 * @param skipped number of leading pages to skip
 * @throws ParseFailure if an image cannot be decoded or has too many pixels.
 */
export async function* pagesOfPicture(bytes: Uint8Array, skipped: number): AsyncGenerator<PageImage, void> {
  const pictures = picturesOf(bytes);
  for (const [index, { image }] of pictures.entries()) {
    if (index < skipped) continue;
    const upright = await drawn(image()).catch((cause: unknown) => {
      throw new ParseFailure('The image cannot be decoded: save it again as PNG or JPEG and upload that.', {
        cause,
      });
    });
    yield { pageNumber: index + 1, pageCount: pictures.length, text: '', ...upright };
  }
}

async function drawn(
  bytes: Uint8Array,
): Promise<Pick<PageImage, 'width' | 'height' | 'png' | 'fingerprint'>> {
  const picture = decoderOf(bytes);
  const { orientation = 1, ...size } = await picture.metadata(true);
  const isTurned = orientation >= FIRST_QUARTER_TURN;
  let [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
  picture.rotate();
  const bound = boundedBy(width, height);
  if (bound < 1) {
    [width, height] = [Math.max(1, Math.floor(width * bound)), Math.max(1, Math.floor(height * bound))];
    picture.fastResize({ width, height, fit: ResizeFit.Fill });
  }
  const png = await picture.png();
  return { width, height, png, fingerprint: await fingerprintOf(new Transformer(png)) };
}

/** Decodes an image of any supported format. */
export function decoderOf(bytes: Uint8Array): Transformer {
  return Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'GIF8'
    ? firstFrameOf(bytes)
    : new Transformer(bytes);
}

/** Decodes a GIF, which the main decoder does not support. Transparent pixels become white. */
function firstFrameOf(bytes: Uint8Array): Transformer {
  const gif = new GifReader(bytes);
  const pixels = new Uint8Array(gif.width * gif.height * 4).fill(255);
  gif.decodeAndBlitFrameRGBA(0, pixels);
  return Transformer.fromRgbaPixels(pixels, gif.width, gif.height);
}
