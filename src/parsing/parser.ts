import type { ParsedDocument } from './parsed-document.js';

/** What a client says about a file. Neither is trusted; a name tells kinds of text apart. */
export interface Hints {
  readonly filename?: string | null;
  readonly declaredType?: string | null;
}

/** A file whose type is known. */
export interface Source {
  readonly bytes: Uint8Array;
  /** Of textual types, decoded; null for binary ones. */
  readonly text: string | null;
  readonly contentType: string;
  readonly filename: string | null;
  /** Called now and then during long work, with parts done and parts in all. */
  readonly onProgress: (done: number, total: number) => void;
}

export type ParsedContent = Omit<ParsedDocument, 'contentType'>;

/** The port of a format: one file each in `formats/`. @throws ParseFailure when the file cannot be read. */
export type Parser = (source: Source) => ParsedContent | Promise<ParsedContent>;
