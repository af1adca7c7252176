import { FastResizeFilter, Transformer } from '@napi-rs/image';
import { Inject, Injectable } from '@nestjs/common';
import { imageSize } from 'image-size';
import { DocumentReader, type PageImage, PageRenderer, ParseFailure, promisedFormat } from '#reader';
import type { PageQuestion } from './page-search.js';
import { Invalid, type Location } from '../errors/index.js';
import { PageEmbedder } from '../models/multivector/page-embedder.js';

const MAX_BYTES = 10 * 1_024 * 1_024;
const MAX_PIXELS = 50_000_000;

const NO_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Reads `query_image`, which is plain base64 or a data URI. Detects the media type from the first bytes, and ignores
 * the type in the URI. Does not decode the pixels.
 * @returns a data URI with the detected media type.
 * @throws Invalid at `loc` for invalid base64, an unsupported format, more than 10 MiB or more than 50 megapixels.
 */
export function parseQueryImage(value: unknown, loc: Location): string {
  const text = String(value);
  const comma = text.startsWith('data:') ? text.indexOf(',') : -1;
  if (text.startsWith('data:') && !/;base64$/i.test(text.slice(0, Math.max(comma, 0)))) {
    throw refused(loc, 'a data URI must be base64-encoded');
  }
  const encoded = text.slice(comma + 1).replace(/\s+/g, '');
  const digits = encoded.replace(/={1,2}$/, '');
  if (encoded === '' || encoded.length % 4 === 1 || NO_BASE64.test(digits)) {
    throw refused(loc, 'the image is not base64');
  }
  if (Math.floor((digits.length * 3) / 4) > MAX_BYTES) {
    throw refused(loc, 'the image is larger than 10 MiB');
  }
  return `data:${mediaTypeOf(Buffer.from(encoded, 'base64'), loc)};base64,${encoded}`;
}

function mediaTypeOf(bytes: Buffer, loc: Location): string {
  const size = sizeOf(bytes);
  const format = promisedFormat(`image.${size?.type ?? ''}`);
  if (size === undefined || format?.pages !== 'picture' || size.width < 1 || size.height < 1) {
    throw refused(loc, 'not a PNG, JPEG, WebP, GIF, BMP or TIFF image');
  }
  if (size.width * size.height > MAX_PIXELS) throw refused(loc, 'the image has more than 50 megapixels');
  return format.type;
}

function sizeOf(bytes: Buffer): ReturnType<typeof imageSize> | undefined {
  try {
    return imageSize(new Uint8Array(bytes)); // a copy: image-size would read beyond a short Buffer, into its pool
  } catch {
    return undefined; // the format is unknown, or the header is truncated
  }
}

function refused(loc: Location, reason: string): Invalid {
  return Invalid.at(loc, `Value error, ${reason}`);
}

/**
 * An image is enlarged for text recognition until its longer side has this many pixels, but at most by
 * `MAX_ENLARGEMENT`.
 */
const READABLE_SIDE = 2_000;
const MAX_ENLARGEMENT = 3;

/** Reads an image on the first call. */
export type ReadImage = () => Promise<ImageQuestion>;

/** A query image in a form that can be compared with pages. */
export interface ImageQuestion extends PageQuestion {
  /** Text recognised in the image; empty if the image has no text, or if a page embedder reads the image. */
  readonly text: string;
}

/**
 * Prepares query images for a comparison with pages: embeds them or recognises their text, and computes their
 * fingerprint.
 */
@Injectable()
export class ImageQuestions {
  constructor(
    private readonly renderer: PageRenderer,
    private readonly reader: DocumentReader,
    @Inject(PageEmbedder) private readonly embedder: PageEmbedder | null,
  ) {}

  /**
   * @param dataUri result of `parseQueryImage`
   * @throws Invalid at `query_image` when the image cannot be decoded; the errors of the page embedder.
   */
  async read(dataUri: string): Promise<ImageQuestion> {
    const [head = '', encoded = ''] = dataUri.split(',', 2);
    const contentType = head.slice('data:'.length, -';base64'.length);
    const bytes = Buffer.from(encoded, 'base64');
    try {
      const page = await this.renderer.picture(bytes, contentType);
      const { png, fingerprint } = page;
      if (this.embedder !== null) {
        return { vectors: await this.embedder.embedImage(png), fingerprint, text: '' };
      }
      const text = await this.reader.recognise(await readable(page));
      return { vectors: null, fingerprint, text: text.trim() };
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      throw Invalid.at(['body', 'query_image'], 'Value error, the image cannot be decoded');
    }
  }
}

/**
 * Enlarges an image to about the resolution of a scan, because OCR expects larger letters than photographs and
 * screenshots have.
 */
async function readable({ png, width, height }: PageImage): Promise<Uint8Array> {
  const factor = Math.min(MAX_ENLARGEMENT, READABLE_SIDE / Math.max(width, height));
  if (factor <= 1) return png;
  const [wide, tall] = [Math.round(width * factor), Math.round(height * factor)];
  return new Transformer(png)
    .fastResize({ width: wide, height: tall, filter: FastResizeFilter.CatmullRom })
    .png();
}
