import type { Piece } from '../../splitting/piece.js';
import type { TokenizerName } from '../../splitting/token-counter.js';
import type { Hints, ParsedDocument } from '../parser.js';
import type { PackedPart, PackedText } from '../packed-text.js';

/** What a reading thread is started with. */
export interface ReaderOptions {
  readonly tokenizer: TokenizerName;
  /** Tokens in a piece and tokens shared with the piece before. */
  readonly size: number;
  readonly overlap: number;
}

export interface SplitHints {
  readonly contentType?: string;
  /** Length of the head of the text that is overlap already, in UTF-16 code units. */
  readonly lead?: number;
}

export interface ReadResult {
  readonly document: Omit<ParsedDocument, 'text'> & { readonly text: string | PackedText };
  readonly pieces: readonly Piece[];
}

export type Job =
  | { readonly kind: 'read'; bytes: Uint8Array; readonly hints: Hints }
  | { readonly kind: 'split'; readonly text: string; readonly hints: SplitHints };

/** How far a job is. Parts are pages while parsing where there are any, UTF-16 code units while splitting. */
export interface Progress {
  readonly step: 'parsing' | 'splitting';
  readonly done: number;
  readonly total: number;
}

export type Reply =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'read';
      readonly document: Omit<ParsedDocument, 'text'>;
      readonly text: string | readonly PackedPart[];
      readonly pieces: readonly Piece[];
    }
  | { readonly kind: 'split'; readonly pieces: readonly Piece[] }
  /** The file cannot become a document. */
  | { readonly kind: 'failure'; readonly message: string; readonly cause: string | null }
  | { readonly kind: 'error'; readonly stack: string };
