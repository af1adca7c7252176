import { inspect } from 'node:util';
import type { ChunkBudget, ChunkSizes } from '../../splitting/chunk-budget.js';
import type { ChunkContext } from '../../splitting/outline.js';
import type { Piece } from '../../splitting/piece.js';
import type { TokenizerChoice } from '../../tokenizers/load-tokenizer.js';
import type { PageImage, PageView } from '../pages/page-image.js';
import type { PackedPart, PackedText } from '../packed-text.js';
import { type Defect, ParseFailure } from '../parse-failure.js';
import type { Hints, ParsedDocument } from '../parser.js';

export interface ReaderOptions extends ChunkBudget {
  readonly tokenizer: TokenizerChoice;
  /** Total memory limit, including native memory of decoders. */
  readonly megabytes: number;
  /** Path of LibreOffice if it is not on the PATH. */
  readonly office: string | undefined;
}

export interface ReadHints extends Hints {
  /**
   * Name of the document, which is a part of its title; absent: the file name. Differs from the file name if the
   * document was renamed.
   */
  readonly name?: string | null;
  /** Title of the document; null: the document has no title; absent: the title is derived from the content. */
  readonly title?: string | null;
  /** Overrides the configured sizes. */
  readonly chunks?: ChunkSizes;
}

/** Inputs of contexts in addition to the text. */
export interface ContextHints {
  readonly contentType?: string;
  /** Title of the document; null: the document has no title. */
  readonly title?: string | null;
  /** Context of the chunk that the text continues. */
  readonly above?: ChunkContext;
  /** Overrides the configured sizes. */
  readonly chunks?: ChunkSizes;
}

export interface SplitHints extends ContextHints {
  /** Length of the overlap at the start of the text, in UTF-16 code units. */
  readonly lead?: number;
}

export interface ReadResult {
  readonly document: Omit<ParsedDocument, 'text'> & { readonly text: string | PackedText };
  readonly pieces: readonly Piece[];
}

export type Task =
  | { readonly kind: 'read'; readonly hints: ReadHints }
  /** Looks for a defect of a file, without reading it. */
  | { readonly kind: 'judge'; readonly hints: Hints }
  /** Draws the pages from a number (1-based), or one page. */
  | { readonly kind: 'draw'; readonly contentType: string; readonly from: number; readonly only: boolean }
  /** Draws one page for display. */
  | { readonly kind: 'view'; readonly contentType: string; readonly pageNumber: number }
  /** Reads the words of all pages of a PDF. */
  | { readonly kind: 'words' }
  /** Converts an office document to PDF. */
  | { readonly kind: 'convert'; readonly contentType: string }
  | TextTask;

export type TextTask =
  | { readonly kind: 'split'; readonly text: string; readonly hints: SplitHints }
  | {
      /** `contexts`: finds the contexts in the text. `titles`: changes only the titles in the contexts. */
      readonly kind: 'contexts' | 'titles';
      readonly text: string;
      readonly pieces: readonly Piece[];
      readonly hints: ContextHints;
    };

/** Messages to a reader. The bytes of a file follow in parts, so that no large copy is made. */
export type Request =
  | {
      readonly kind: 'task';
      readonly task: Task;
      /** Number of bytes that follow. */
      readonly size: number;
      /** CPU time of the whole task, or of each drawn page. */
      readonly seconds: number;
    }
  | { readonly kind: 'bytes'; readonly part: Uint8Array }
  /** Requests the next page. */
  | { readonly kind: 'next' };

/** Progress of a task: in pages while parsing a file with pages, in UTF-16 code units while splitting. */
export interface Progress {
  readonly step: 'parsing' | 'splitting';
  readonly done: number;
  readonly total: number;
}

/** Results of a task, in order. */
export type Result =
  | ({ readonly kind: 'progress' } & Progress)
  | { readonly kind: 'page'; readonly page: PageImage }
  /** null: there is no such page. */
  | { readonly kind: 'view'; readonly view: PageView | null }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** The PDF follows in parts. */
  | { readonly kind: 'converted'; readonly pageCount: number; readonly size: number }
  | { readonly kind: 'part'; readonly part: Uint8Array }
  | { readonly kind: 'text'; readonly part: PackedPart }
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[]; readonly of: number }
  /** `text` is empty if the text was sent in parts. */
  | { readonly kind: 'document'; readonly document: ParsedDocument };

export type Reply =
  | Result
  /** The reader is ready for the next task; reports its memory. */
  | { readonly kind: 'end'; readonly megabytes: number; readonly failure: Failure | null };

export interface Failure {
  /** User-facing message if the file cannot become a document; null for other errors. */
  readonly sentence: string | null;
  readonly cause: string | null;
  readonly defect: Defect | null;
  readonly contentType: string | null;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ParseFailure)) {
    return { sentence: null, cause: inspect(error), defect: null, contentType: null };
  }
  const { message: sentence, cause, defect, contentType } = error;
  return { sentence, cause: cause === undefined ? null : inspect(cause), defect, contentType };
}

export function errorOf({ sentence, cause, defect, contentType }: Failure): Error {
  if (sentence === null) return new Error(`reading failed: ${cause ?? ''}`);
  return new ParseFailure(sentence, { defect, contentType, ...(cause === null ? {} : { cause }) });
}
