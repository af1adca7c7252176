import { DocumentReader, type TaskOptions } from './parsing/document-reader.js';
import { titleOfContent } from './parsing/document-title.js';
import type { PageView } from './parsing/pages/page-image.js';
import { PageRenderer } from './parsing/pages/page-renderer.js';
import type { Hints, ParsedDocument } from './parsing/parser.js';
import { Readers } from './parsing/reader/readers.js';
import type { ChunkSizes } from './splitting/chunk-budget.js';
import { printContext } from './splitting/outline.js';

export interface ReadOptions extends Hints, Pick<TaskOptions, 'onProgress' | 'signal'> {
  /** Sizes of chunks in tokens of o200k_base; default: at most 512, with an overlap of 64. */
  readonly chunks?: ChunkSizes;
}

/** A part of the text of a file. Offsets are UTF-16 code units. */
export interface Chunk {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 1-based; null if the file has no pages. */
  readonly pageNumber: number | null;
  readonly tokens: number;
  /** Title, headings and table header above the chunk, as Markdown; empty if there are none. */
  readonly context: string;
}

export interface Reading extends ParsedDocument {
  /** Title from the file's properties, its first heading and its name; null if these say nothing. */
  readonly title: string | null;
  readonly chunks: readonly Chunk[];
}

let defaultReaders: Readers | undefined;

/** The readers of this module, started on first use. Idle processes do not keep the program alive. */
function readers(): Readers {
  defaultReaders ??= new Readers();
  return defaultReaders;
}

/**
 * Reads a file of any format of the table in README.md in a separate process.
 *
 * @throws ParseFailure with one sentence for the user if the file cannot be read; the abort reason of the signal.
 */
export async function read(bytes: Uint8Array, options: ReadOptions = {}): Promise<Reading> {
  const { onProgress, signal, ...hints } = options;
  const { document, pieces } = await new DocumentReader(readers()).read(bytes, hints, {
    signal,
    ...(onProgress && { onProgress }),
  });
  const text = document.text.slice();
  return {
    ...document,
    text,
    title: titleOfContent(document, hints.filename ?? null),
    chunks: pieces.map(({ start, end, pageNumber, tokens, context }) => ({
      text: text.slice(start, end),
      start,
      end,
      pageNumber,
      tokens,
      context: context === undefined ? '' : printContext(context),
    })),
  };
}

/**
 * Draws a page of a PDF or image at 150 dpi, with the places of its words.
 *
 * @param contentType detected by {@link read}
 * @param pageNumber 1-based
 * @returns null if there is no such page, or if files of this type have no pages of their own
 * @throws ParseFailure if the page cannot be drawn.
 */
export function readPage(
  bytes: Uint8Array,
  contentType: string,
  pageNumber: number,
): Promise<PageView | null> {
  return new PageRenderer(readers()).view(bytes, contentType, pageNumber);
}
