import { type ChunkContext, NO_CONTEXT, type Piece } from '#reader';
import type { LastChunk } from '../chunks/chunk.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { DocumentText } from '../corpus/document-text.repository.js';
import type { UpdateStrategy } from './job.js';
import type { Content } from './rules/content-rules.js';

/** A change of a document's text, with the pieces of its new chunks. Offsets are UTF-16 code units. */
export interface TextPatch {
  /** The stored text: the whole text, or the appended part. */
  readonly text: DocumentText;
  /** Offset of `text` in the document's text; 0 if `text` is the whole text. */
  readonly startOffset: number;
  /** The text that is split: `text`, preceded by the content of the chunk that `text` continues. */
  readonly tail: DocumentText;
  /** Offset of `tail` in the document's text. */
  readonly tailOffset: number;
  /** Chunk number of the first piece. The pieces replace all chunks from this number on. */
  readonly firstChunk: number;
  /** The pieces of `tail`, with offsets in `tail`. */
  readonly pieces: readonly Piece[];
  /** Media type of the chunks: `text/plain` or `text/markdown`. */
  readonly chunkType: string;
  /** Number of pages after the update; null if the format has no pages. */
  readonly pageCount: number | null;
}

export type UnsplitPatch = Omit<TextPatch, 'pieces' | 'tail'> & {
  readonly tail: string;
  /** Length of the overlap at the start of the tail. */
  readonly lead: number;
  /** Context of the chunk that the tail continues. */
  readonly above: ChunkContext;
};

/** The blank line before an appended text. */
const SEPARATOR = '\n\n';

export function contentOf({ tail }: TextPatch, { start, end }: Piece): string {
  return tail.slice(start, end);
}

export function appends(row: DocumentRow, strategy: UpdateStrategy): boolean {
  return strategy === 'add' && row.text_length > 0;
}

export function pagesBefore(row: DocumentRow, strategy: UpdateStrategy): number {
  return strategy === 'add' ? (row.page_count ?? 0) : 0;
}

/** Returns the patch that replaces the document's text. @param pageCount number of pages that the document then has */
export function replacementPatch(text: string, pageCount: number | null): UnsplitPatch {
  return {
    text,
    startOffset: 0,
    tail: text,
    tailOffset: 0,
    firstChunk: 0,
    lead: 0,
    above: NO_CONTEXT,
    chunkType: 'text/plain',
    pageCount,
  };
}

/**
 * Returns the patch that appends a text. The last chunk is split again together with the new text, unless the chunk has
 * a page number or metadata of its own.
 */
export function appendPatch(row: DocumentRow, content: string, last: LastChunk | null): UnsplitPatch {
  const reopened = last?.page_number === null && !last.has_metadata ? last : null;
  const text = SEPARATOR + content;
  return {
    text,
    startOffset: row.text_length,
    tail: (reopened?.content ?? '') + text,
    tailOffset: reopened?.start_offset ?? row.text_length,
    firstChunk: reopened?.chunk_number ?? row.chunk_count,
    lead: reopened?.overlap ?? 0,
    above: last?.page_number === null ? last.context : NO_CONTEXT,
    chunkType: last?.content_type ?? 'text/plain',
    pageCount: row.page_count,
  };
}

/**
 * Returns the patch that appends pieces, or that replaces the document's text with them. Appended pages continue the
 * page numbering.
 */
export function piecesPatch(
  row: DocumentRow,
  strategy: UpdateStrategy,
  { text: content, textType, pageCount }: Content['document'],
  pieces: readonly Piece[],
): TextPatch {
  const adds = appends(row, strategy);
  const shift = adds ? SEPARATOR.length : 0;
  const before = pagesBefore(row, strategy);
  const text = adds ? joined(SEPARATOR, content) : content;
  const startOffset = adds ? row.text_length : 0;
  return {
    text,
    startOffset,
    tail: text,
    tailOffset: startOffset,
    firstChunk: adds ? row.chunk_count : 0,
    pieces: pieces.map((piece, index) => ({
      ...piece,
      // The first piece includes the blank line, so that the chunks cover every character.
      start: index === 0 ? 0 : piece.start + shift,
      bodyStart: index === 0 ? 0 : piece.bodyStart + shift,
      end: piece.end + shift,
      pageNumber: piece.pageNumber === null ? null : piece.pageNumber + before,
    })),
    chunkType: textType,
    pageCount: pageCountOf(strategy === 'add' ? row.page_count : null, pageCount),
  };
}

/** Concatenates two texts without copying the second. */
function joined(head: string, rest: DocumentText): DocumentText {
  const length = head.length + rest.length;
  return {
    length,
    slice: (start = 0, end = length) =>
      head.slice(start, end) + rest.slice(Math.max(0, start - head.length), Math.max(0, end - head.length)),
  };
}

function pageCountOf(before: number | null, added: number | null): number | null {
  return before === null && added === null ? null : (before ?? 0) + (added ?? 0);
}
