import type { ChunkContext } from './outline.js';

/**
 * Counts tokens of the embedding model, without the special tokens around a text. Counts of adjacent texts need not add
 * up exactly; the count of the embedded text is authoritative.
 */
export interface TokenCounter {
  count(text: string): number;
}

/** A chunk without identity. Offsets are UTF-16 code units of the whole text. */
export interface Piece {
  /** Start of the content. The content starts with the overlap, which lies in the body of the previous piece. */
  readonly start: number;
  /** End of the content and start of the next body. */
  readonly end: number;
  /** End of the overlap. The bodies `[bodyStart, end)` of all pieces tile the text. */
  readonly bodyStart: number;
  /** 1-based page of the body; null if the text has no pages. A body never spans pages. */
  readonly pageNumber: number | null;
  readonly tokens: number;
  /** Text around the piece: document title, headings, table header. Absent: none. */
  readonly context?: ChunkContext;
  /** Media type of the content. Absent: the media type of the other pieces. */
  readonly contentType?: string;
}

/** The text range of a page, `[start, end)` in UTF-16 code units. */
export interface PageSpan {
  readonly pageNumber: number;
  readonly start: number;
  readonly end: number;
}

export interface SplitOptions {
  readonly counter: TokenCounter;
  /** Maximum tokens per piece, overlap included. */
  readonly size: number;
  /** Maximum tokens repeated from the previous piece. */
  readonly overlap: number;
  /** In text order; empty or absent if the text has no pages. */
  readonly pages?: readonly PageSpan[];
  /** Content type of the text. Source code is split at blank lines, and within a line only as a last resort. */
  readonly contentType?: string;
  /**
   * Length of the overlap at the start of `text`, in UTF-16 code units. When a document grows, splitting continues from
   * the start of its last chunk.
   */
  readonly lead?: number;
}
