import type { PageSpan } from '../splitting/piece.js';

/** What a parser makes of a file. */
export interface ParsedDocument {
  /** Sniffed from the bytes, never the client's word. */
  readonly contentType: string;
  /** Content type of `text` itself: a web page becomes `text/markdown`. */
  readonly textType: string;
  readonly text: string;
  /** 1-based pages with their part of the text, in UTF-16 code units; empty when the format has no pages. */
  readonly pages: readonly PageSpan[];
  /** null when the format has no pages. */
  readonly pageCount: number | null;
  /** Title, author, language, per-page facts: what becomes the document's `additional_metadata`. */
  readonly properties: Readonly<Record<string, unknown>>;
}
