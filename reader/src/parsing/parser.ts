import type { PageSpan } from '../splitting/piece.js';
import type { LibreOffice } from './office/libre-office.js';

export interface ParsedDocument {
  /** Detected from the bytes. The declaration of the client is not trusted. */
  readonly contentType: string;
  /** Content type of `text`: a web page becomes `text/markdown`. */
  readonly textType: string;
  readonly text: string;
  /** 1-based pages with their text ranges in UTF-16 code units; empty for formats without pages. */
  readonly pages: readonly PageSpan[];
  /** null for formats without pages. */
  readonly pageCount: number | null;
  /** Title, author, language, page properties: the document's `additional_metadata`. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The client's declarations about a file. The declarations are not trusted, but the name distinguishes kinds of text.
 */
export interface Hints {
  readonly filename?: string | null;
  readonly declaredType?: string | null;
  /** Accepts a file without text, because its pages are indexed as images. */
  readonly allowNoText?: boolean;
}

/** A file of a known type. */
export interface Source {
  readonly bytes: Uint8Array;
  /** Decoded text; null for binary types. */
  readonly text: string | null;
  /** Encoding of `text` before decoding; null for binary types. */
  readonly encoding: string | null;
  readonly contentType: string;
  readonly filename: string | null;
  /** Reports the progress of long work: number of finished parts, and total number. */
  readonly onProgress: (done: number, total: number) => void;
  /** Raises the CPU limit for a file that needs more time than its size suggests. */
  readonly allow: (seconds: number) => void;
  readonly office: Pick<LibreOffice, 'convert'>;
  /** Parses an embedded file. @throws ParseFailure if the file cannot be parsed, or if files are nested too deeply. */
  readonly parseInner: (bytes: Uint8Array, hints: Hints) => Promise<ParsedDocument>;
}

/** Result of a parser; formats without pages return only text and properties. */
export type ParsedContent = Pick<ParsedDocument, 'text' | 'textType' | 'properties'> &
  Partial<Pick<ParsedDocument, 'pages' | 'pageCount'>>;

/** The parser of a format. Each parser is one file in `formats/`. @throws ParseFailure if the file cannot be parsed. */
export type Parser = (source: Source) => ParsedContent | Promise<ParsedContent>;

const BETWEEN_PAGES = '\n\n';

/**
 * Joins page texts, with a blank line between pages with text.
 *
 * @param isContinued whether a sentence continues on the next page; then only a line end separates them
 */
export function joinPages(
  texts: readonly string[],
  isContinued: readonly boolean[] = [],
): { readonly text: string; readonly pages: PageSpan[] } {
  const parts: string[] = [];
  const pages: PageSpan[] = [];
  let length = 0;
  for (const [index, page] of texts.entries()) {
    if (page !== '' && length > 0) {
      const separator = isContinued[index - 1] === true ? '\n' : BETWEEN_PAGES;
      parts.push(separator);
      length += separator.length;
    }
    pages.push({ pageNumber: index + 1, start: length, end: length + page.length });
    parts.push(page);
    length += page.length;
  }
  return { text: parts.join(''), pages };
}
