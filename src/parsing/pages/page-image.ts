import type { PageWord } from '../pdf/page-glyphs.js';

/** A rendered page. */
export interface PageImage {
  /** 1-based. */
  readonly pageNumber: number;
  /** Page count of the file. */
  readonly pageCount: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
  /** Text layer of the page; empty without one. */
  readonly text: string;
  /** Perceptual hash, 64 characters of 0 and 1; null for a page of one colour. */
  readonly fingerprint: string | null;
}

/** A page to look at, with the places of its words. */
export interface PageView extends Pick<PageImage, 'pageNumber' | 'pageCount' | 'width' | 'height' | 'png'> {
  /** In the order of the PDF; empty without a text layer. */
  readonly words: readonly PageWord[];
}

/** Maximum pixels of a page image, seven A4 pages; rendering takes four bytes per pixel. */
export const MAX_PAGE_PIXELS = 16_000_000;

/** Maximum side length in pixels; decoders reject or crash on much longer ones. */
export const MAX_PAGE_SIDE = 10_000;

/** The scale, at most 1, that makes an image fit the limits. */
export function boundedBy(width: number, height: number): number {
  return Math.min(
    1,
    MAX_PAGE_SIDE / Math.max(width, height),
    Math.sqrt(MAX_PAGE_PIXELS / Math.max(1, width * height)),
  );
}
