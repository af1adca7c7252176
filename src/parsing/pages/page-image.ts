/** A page of a file as people see it. */
export interface PageImage {
  /** 1-based. */
  readonly pageNumber: number;
  /** Of the file. */
  readonly pageCount: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
  /** Of its text layer; empty when there is none. */
  readonly text: string;
  /** Perceptual hash, 64 characters of 0 and 1; null: it is of one colour. */
  readonly fingerprint: string | null;
}

/** The most pixels of a page image, seven times a page of A4; each takes four bytes while it is drawn. */
export const MAX_PAGE_PIXELS = 16_000_000;

/** The longest side of an image, in pixels; decoders refuse or crash on much longer ones. */
export const MAX_PAGE_SIDE = 10_000;

/** The factor, at most 1, that brings an image of this size within the bounds. */
export function boundedBy(width: number, height: number): number {
  return Math.min(
    1,
    MAX_PAGE_SIDE / Math.max(width, height),
    Math.sqrt(MAX_PAGE_PIXELS / Math.max(1, width * height)),
  );
}
