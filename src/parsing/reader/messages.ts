import type { MessagePort } from 'node:worker_threads';
import type { ChunkBudget } from '../../config/combinations.js';
import type { ChunkContext } from '../../lexical/chunk-context.js';
import type { Piece } from '../../splitting/piece.js';
import type { TokenizerName } from '../../splitting/token-counter.js';
import type { Conversion } from '../office/libre-office.js';
import type { Hints, ParsedDocument } from '../parser.js';
import type { PackedPart, PackedText } from '../packed-text.js';

/** What a reading thread is started with. */
export interface ReaderOptions extends ChunkBudget {
  readonly tokenizer: TokenizerName;
}

/** What a file is read for. */
export interface ReadHints extends Hints {
  /** Of the document, when it is known without the file; null: it has none. */
  readonly title?: string | null;
}

/** What contexts are made of, beside the text. */
export interface ContextHints {
  readonly contentType?: string;
  /** Of the document; null: it has none. */
  readonly title?: string | null;
  /** Context of the chunk that the text goes on from. */
  readonly above?: ChunkContext;
}

export interface SplitHints extends ContextHints {
  /** Length of the head of the text that is overlap already, in UTF-16 code units. */
  readonly lead?: number;
}

export interface ReadResult {
  readonly document: Omit<ParsedDocument, 'text'> & { readonly text: string | PackedText };
  readonly pieces: readonly Piece[];
}

export type Job =
  | { readonly kind: 'read'; bytes: Uint8Array; readonly hints: ReadHints }
  | { readonly kind: 'split'; readonly text: string; readonly hints: SplitHints }
  | {
      readonly kind: 'contexts';
      readonly text: string;
      readonly pieces: readonly Piece[];
      readonly hints: ContextHints;
    };

/** How far a job is. Parts are pages while parsing where there are any, UTF-16 code units while splitting. */
export interface Progress {
  readonly step: 'parsing' | 'splitting';
  readonly done: number;
  readonly total: number;
}

export type FailureMessage =
  /** The file cannot become a document. */
  | { readonly kind: 'failure'; readonly message: string; readonly cause: string | null }
  | { readonly kind: 'error'; readonly stack: string };

/** A reading thread asks for a conversion, which the main thread has made by another process. */
export interface ConversionRequest {
  readonly kind: 'convert';
  readonly bytes: Uint8Array;
  readonly conversion: Conversion;
  /** Where the outcome is sent. */
  readonly answer: MessagePort;
}

export type ConversionOutcome =
  { readonly kind: 'converted'; readonly bytes: Uint8Array<ArrayBuffer> } | FailureMessage;

export type Reply =
  | ConversionRequest
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'read';
      readonly document: Omit<ParsedDocument, 'text'>;
      readonly text: string | readonly PackedPart[];
      readonly pieces: readonly Piece[];
    }
  | { readonly kind: 'split' | 'contexts'; readonly pieces: readonly Piece[] }
  | FailureMessage;
