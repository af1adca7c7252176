import type { ParsedDocument } from './parsed-document.js';

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
  readonly contentType: string;
  readonly filename: string | null;
  /** Called now and then during long work, with parts done and parts in all. */
  readonly onProgress: (done: number, total: number) => void;
  /** Parses a file inside this one. @throws ParseFailure, also when files are nested too deeply. */
  readonly parseInner: (bytes: Uint8Array, hints: Hints) => Promise<ParsedDocument>;
}

export type ParsedContent = Omit<ParsedDocument, 'contentType'>;

/** The port of a format: one file each in `formats/`. @throws ParseFailure when the file cannot be read. */
export type Parser = (source: Source) => ParsedContent | Promise<ParsedContent>;
