import type { NewChunk } from '../chunks/chunk.js';
import type { Piece } from '../splitting/piece.js';
import { contentOf, type VersionDraft } from './version-draft.js';

/**
 * Chunks of a run of a draft's pieces and their vectors, in the same order.
 * @param index of the first piece in the draft
 */
export function newChunks(
  draft: VersionDraft,
  index: number,
  pieces: readonly Piece[],
  vectors: readonly Float32Array[],
): NewChunk[] {
  return pieces.map((piece, offset) => {
    const embedding = vectors[offset];
    if (embedding === undefined) throw new Error('a piece has no vector');
    return {
      chunkNumber: draft.firstChunk + index + offset,
      content: contentOf(draft, piece),
      contentType: draft.chunkType,
      startOffset: draft.tailOffset + piece.start,
      endOffset: draft.tailOffset + piece.end,
      pageNumber: piece.pageNumber,
      metadata: draft.chunkMetadata?.[index + offset] ?? {},
      embedding,
    };
  });
}
