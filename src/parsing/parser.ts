import type { PageSpan } from '../splitting/piece.js';
import type { LibreOffice } from './office/libre-office.js';

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

/** What a client says about a file. Neither is trusted; a name tells kinds of text apart. */
export interface Hints {
  readonly filename?: string | null;
  readonly declaredType?: string | null;
  /**
   * Whether a file without any text is a document all the same, because its pages will be found by how they look.
   * Otherwise it is a failure.
   */
  readonly allowNoText?: boolean;
}

/** A file whose type is known. */
export interface Source {
  readonly bytes: Uint8Array;
  /** Of textual types, decoded; null for binary ones. */
  readonly text: string | null;
  /** Encoding of `text` before decoding; null for binary types. */
  readonly encoding: string | null;
  readonly contentType: string;
  readonly filename: string | null;
  /** Called now and then during long work, with parts done and parts in all. */
  readonly onProgress: (done: number, total: number) => void;
  /** Allows for more seconds on the processor, where a file turns out to need what its size does not tell. */
  readonly allow: (seconds: number) => void;
  readonly office: Pick<LibreOffice, 'convert'>;
  /** Parses a file inside this one. @throws ParseFailure, also when files are nested too deeply. */
  readonly parseInner: (bytes: Uint8Array, hints: Hints) => Promise<ParsedDocument>;
}

/** Of a format without pages it is the text and what the file says of itself. */
export type ParsedContent = Pick<ParsedDocument, 'text' | 'textType' | 'properties'> &
  Partial<Pick<ParsedDocument, 'pages' | 'pageCount'>>;

/** The port of a format: one file each in `formats/`. @throws ParseFailure when the file cannot be read. */
export type Parser = (source: Source) => ParsedContent | Promise<ParsedContent>;

const BETWEEN_PAGES = '\n\n';

/** Joins the texts of pages 1, 2, ... with a blank line between those that have text. */
export function joinPages(texts: readonly string[]): { readonly text: string; readonly pages: PageSpan[] } {
  const parts: string[] = [];
  const pages: PageSpan[] = [];
  let length = 0;
  for (const [index, page] of texts.entries()) {
    if (page !== '' && length > 0) {
      parts.push(BETWEEN_PAGES);
      length += BETWEEN_PAGES.length;
    }
    pages.push({ pageNumber: index + 1, start: length, end: length + page.length });
    parts.push(page);
    length += page.length;
  }
  return { text: parts.join(''), pages };
}
