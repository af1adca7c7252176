import type { ChunkContext } from '../lexical/chunk-context.js';

/**
 * Counts tokens as the embedding model does, without the special tokens that it puts around a text. Counts of
 * neighbouring texts need not add up exactly; what matters is the count of the text that is embedded.
 */
export interface TokenCounter {
  count(text: string): number;
}

/** A chunk of a text before it has an identity. Offsets are UTF-16 code units of the whole text. */
export interface Piece {
  /** Where the content starts: the overlap, which lies in the body of the piece before it. */
  readonly start: number;
  /** Where the content ends, and the body of the next piece starts. */
  readonly end: number;
  /** End of the overlap. The bodies `[bodyStart, end)` of all pieces tile the text. */
  readonly bodyStart: number;
  /** 1-based page of the body, which is on one page; null when the text has no pages. */
  readonly pageNumber: number | null;
  /** Tokens of the content, as the counter counts them. */
  readonly tokens: number;
  /** What it does not say itself: its document, its section, the head of its table. Absent: nothing. */
  readonly context?: ChunkContext;
}

/** A page's part of the text, `[start, end)` in UTF-16 code units. */
export interface PageSpan {
  readonly pageNumber: number;
  readonly start: number;
  readonly end: number;
}

export interface SplitOptions {
  readonly counter: TokenCounter;
  /** Most tokens in a piece, overlap included. */
  readonly size: number;
  /** Most tokens that a piece repeats from the one before. */
  readonly overlap: number;
  /** In the order of the text; empty or absent when it has no pages. */
  readonly pages?: readonly PageSpan[];
  /** Of the text itself; source code is split at blank lines and never inside a line when avoidable. */
  readonly contentType?: string;
  /**
   * Length of the head of `text` that is overlap already, in UTF-16 code units: the tail of a document that grew is
   * split again from the start of its last chunk without going back further.
   */
  readonly lead?: number;
}
