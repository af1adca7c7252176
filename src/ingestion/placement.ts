import type { LastChunk } from '../chunks/chunk.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { DocumentText } from '../corpus/document-text.repository.js';
import { type ChunkContext, NO_CONTEXT } from '../lexical/chunk-context.js';
import type { Piece } from '../splitting/piece.js';
import type { UpdateStrategy } from './job.js';
import type { Content } from './rules/content-rules.js';

/** Where split content stands in its document. Offsets are UTF-16 code units. */
export interface Placement {
  /** What is stored: the whole text, or what is appended to it. */
  readonly text: DocumentText;
  /** Where `text` begins in the document's text; 0 makes it the whole text. */
  readonly startOffset: number;
  /** What was split: `text`, after the content of the chunk that it continues. */
  readonly tail: DocumentText;
  /** Where `tail` begins in the document's text. */
  readonly tailOffset: number;
  /** Number of the first piece's chunk; chunks from there on are replaced. */
  readonly firstChunk: number;
  /** Offsets in `tail`. */
  readonly pieces: readonly Piece[];
  /** Type of the chunks: `text/plain` or `text/markdown`. */
  readonly chunkType: string;
  /** Pages of the document after the update; null when its format has none. */
  readonly pageCount: number | null;
}

/** A placed text before it is split; the first `lead` units of its tail are overlap already. */
export type UnsplitText = Omit<Placement, 'pieces' | 'tail'> & {
  readonly tail: string;
  readonly lead: number;
  /** Context of the chunk that the tail goes on from. */
  readonly above: ChunkContext;
};

/** Between an appended text and what is there: a blank line. */
const SEPARATOR = '\n\n';

export function contentOf({ tail }: Placement, { start, end }: Piece): string {
  return tail.slice(start, end);
}

export function addsTo(row: DocumentRow, strategy: UpdateStrategy): boolean {
  return strategy === 'add' && row.text_length > 0;
}

/** How many pages stand before new content. */
export function pagesBefore(row: DocumentRow, strategy: UpdateStrategy): number {
  return strategy === 'add' ? (row.page_count ?? 0) : 0;
}

/**
 * A text in place of the document's.
 * @param pageCount of pages that stay
 */
export function asWholeText(text: string, pageCount: number | null): UnsplitText {
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
 * A text after the document's. The last chunk is opened again and split together with the new text, unless it stands on
 * a page or has metadata of its own, which the new text does not.
 */
export function afterText(row: DocumentRow, content: string, last: LastChunk | null): UnsplitText {
  const opened = last?.page_number === null && !last.has_metadata ? last : null;
  const text = SEPARATOR + content;
  return {
    text,
    startOffset: row.text_length,
    tail: (opened?.content ?? '') + text,
    tailOffset: opened?.start_offset ?? row.text_length,
    firstChunk: opened?.chunk_number ?? row.chunk_count,
    lead: opened?.overlap ?? 0,
    above: last?.page_number === null ? last.context : NO_CONTEXT,
    chunkType: last?.content_type ?? 'text/plain',
    pageCount: row.page_count,
  };
}

/** Pieces in place of the document's text, or after it, where its pages are counted on. */
export function inPieces(
  row: DocumentRow,
  strategy: UpdateStrategy,
  { text: content, textType, pageCount }: Content['document'],
  pieces: readonly Piece[],
): Placement {
  const adds = addsTo(row, strategy);
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
      // The blank line belongs to the first piece, so that the chunks go on holding every character.
      start: index === 0 ? 0 : piece.start + shift,
      bodyStart: index === 0 ? 0 : piece.bodyStart + shift,
      end: piece.end + shift,
      pageNumber: piece.pageNumber === null ? null : piece.pageNumber + before,
    })),
    chunkType: textType,
    pageCount: pageCountOf(strategy === 'add' ? row.page_count : null, pageCount),
  };
}

/** Two texts as one, without a copy of the second. */
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
