import type { DocumentText } from '../corpus/document-text.repository.js';
import type { Piece } from '../splitting/piece.js';

/** A text that is to become a version of a document, split and placed but without vectors. */
export interface VersionDraft {
  /** `text_version` of the row that the draft was made on; an addition to another text would be misplaced. */
  readonly basedOn: number;
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
  /** What chunk rules found in each piece; null when none ran. */
  readonly chunkMetadata: readonly Readonly<Record<string, unknown>>[] | null;
  /** Type of the chunks: `text/plain` or `text/markdown`. */
  readonly chunkType: string;
  /** Pages of the document after the update; null when its format has none. */
  readonly pageCount: number | null;
}

/** Between an appended text and what is there: a blank line. */
export const SEPARATOR = '\n\n';

export function contentOf({ tail }: VersionDraft, { start, end }: Piece): string {
  return tail.slice(start, end);
}
