import type { NewChunk } from '../chunks/chunk.js';
import type { Piece } from '../splitting/piece.js';

/** Where the pieces stand in their document. */
export interface Placement {
  /** Type of the text: `text/plain` or `text/markdown`. */
  readonly contentType: string;
  /** Number of the first chunk. */
  readonly firstChunk: number;
  /** Offset in the document's text of the text that was split. */
  readonly tailOffset: number;
}

/** Chunks of pieces, their texts and their vectors, all in the same order. */
export function newChunks(
  pieces: readonly Piece[],
  texts: readonly string[],
  vectors: readonly Float32Array[],
  { contentType, firstChunk, tailOffset }: Placement,
): NewChunk[] {
  return pieces.map((piece, index) => {
    const content = texts[index];
    const embedding = vectors[index];
    if (content === undefined || embedding === undefined) throw new Error('a piece has no text or no vector');
    return {
      chunkNumber: firstChunk + index,
      content,
      contentType,
      startOffset: tailOffset + piece.start,
      endOffset: tailOffset + piece.end,
      pageNumber: piece.pageNumber,
      embedding,
    };
  });
}
