import { inspect } from 'node:util';
import type { ChunkBudget, ChunkSizes } from '../../config/combinations.js';
import type { ChunkContext } from '../../lexical/chunk-context.js';
import type { Piece } from '../../splitting/piece.js';
import type { TokenizerName } from '../../embedding/tokenizers/load-tokenizer.js';
import type { PageImage } from '../pages/page-image.js';
import type { PackedPart, PackedText } from '../packed-text.js';
import { ParseFailure } from '../parse-failure.js';
import type { Hints, ParsedDocument } from '../parser.js';

/** What a reader is started with. */
export interface ReaderOptions extends ChunkBudget {
  readonly tokenizer: TokenizerName;
  /** Of its process, all that decoders take included. */
  readonly megabytes: number;
  /** Where LibreOffice is, if not on the PATH. */
  readonly office: string | undefined;
}

export interface ReadHints extends Hints {
  /** Of the document, when it is known without the file; null: it has none. */
  readonly title?: string | null;
  /** In place of those of the configuration. */
  readonly chunks?: ChunkSizes;
}

/** What contexts are made of, beside the text. */
export interface ContextHints {
  readonly contentType?: string;
  /** Of the document; null: it has none. */
  readonly title?: string | null;
  /** Context of the chunk that the text goes on from. */
  readonly above?: ChunkContext;
  /** In place of those of the configuration. */
  readonly chunks?: ChunkSizes;
}

export interface SplitHints extends ContextHints {
  /** Length of the head of the text that is overlap already, in UTF-16 code units. */
  readonly lead?: number;
}

export interface ReadResult {
  readonly document: Omit<ParsedDocument, 'text'> & { readonly text: string | PackedText };
  readonly pieces: readonly Piece[];
}

export type Task =
  | { readonly kind: 'read'; readonly hints: ReadHints }
  /** The pages from a number on, 1-based, or only the one. */
  | { readonly kind: 'draw'; readonly contentType: string; readonly from: number; readonly only: boolean }
  | TextTask;

/** Work on a text that is there. */
export type TextTask =
  | { readonly kind: 'split'; readonly text: string; readonly hints: SplitHints }
  | {
      readonly kind: 'contexts';
      readonly text: string;
      readonly pieces: readonly Piece[];
      readonly hints: ContextHints;
    };

/** What a reader is asked. The bytes of a file follow in parts, so that nothing long is copied at once. */
export type Request =
  | {
      readonly kind: 'task';
      readonly task: Task;
      /** Bytes that follow. */
      readonly size: number;
      /** On the processor, for the whole task, or for each page that is drawn. */
      readonly seconds: number;
    }
  | { readonly kind: 'bytes'; readonly part: Uint8Array }
  /** The next page is drawn when it is asked for. */
  | { readonly kind: 'next' };

/** How far a task is. Parts are pages while parsing where there are any, UTF-16 code units while splitting. */
export interface Progress {
  readonly step: 'parsing' | 'splitting';
  readonly done: number;
  readonly total: number;
}

/** What a task brings about, in the order in which it comes. */
export type Result =
  | ({ readonly kind: 'progress' } & Progress)
  | { readonly kind: 'page'; readonly page: PageImage }
  | { readonly kind: 'text'; readonly part: PackedPart }
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[]; readonly of: number }
  /** `text` is empty where it came in parts. */
  | { readonly kind: 'document'; readonly document: ParsedDocument };

export type Reply =
  | Result
  /** The reader is ready for the next task, and as large as it says. */
  | { readonly kind: 'end'; readonly megabytes: number; readonly failure: Failure | null };

/** An error on its way to another process. */
export interface Failure {
  /** The file cannot become a document: a sentence for people. null: something else went wrong. */
  readonly sentence: string | null;
  readonly cause: string | null;
  readonly isUnsupportedType: boolean;
  readonly contentType: string | null;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ParseFailure)) {
    return { sentence: null, cause: inspect(error), isUnsupportedType: false, contentType: null };
  }
  const { message: sentence, cause, isUnsupportedType, contentType } = error;
  return { sentence, cause: cause === undefined ? null : inspect(cause), isUnsupportedType, contentType };
}

export function errorOf({ sentence, cause, isUnsupportedType, contentType }: Failure): Error {
  if (sentence === null) return new Error(`reading failed: ${cause ?? ''}`);
  return new ParseFailure(sentence, { isUnsupportedType, contentType, ...(cause === null ? {} : { cause }) });
}
