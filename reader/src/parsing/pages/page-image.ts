import type { PageWord } from '../pdf/page-glyphs.js';

export interface PageImage {
  /** 1-based. */
  readonly pageNumber: number;
  readonly pageCount: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
  /** Text layer of the page; empty if the page has no text layer. */
  readonly text: string;
  /** Perceptual hash, 64 characters of 0 and 1; null for a page of one colour. */
  readonly fingerprint: string | null;
}

/** A page for display, with the positions of its words. */
export interface PageView extends Pick<PageImage, 'pageNumber' | 'pageCount' | 'width' | 'height' | 'png'> {
  /** In the order of the PDF; empty without a text layer. */
  readonly words: readonly PageWord[];
}

/** Maximum number of pixels of a page image: seven A4 pages. Rendering takes four bytes per pixel. */
export const MAX_PAGE_PIXELS = 16_000_000;

/** Maximum side length in pixels. Decoders reject much longer sides, or crash. */
export const MAX_PAGE_SIDE = 10_000;

/** Returns the scale, at most 1, at which an image is within the limits. */
export function boundedBy(width: number, height: number): number {
  return Math.min(
    1,
    MAX_PAGE_SIDE / Math.max(width, height),
    Math.sqrt(MAX_PAGE_PIXELS / Math.max(1, width * height)),
  );
}
