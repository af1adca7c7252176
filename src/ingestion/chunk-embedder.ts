import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import type { NewChunk } from '../chunks/chunk.js';
import { Embedder } from '../embedding/embedder.js';
import type { Piece } from '../splitting/piece.js';
import { contentOf } from './placement.js';
import type { Draft } from './version.js';

/** Consecutive pieces of a draft. */
export interface PieceRun {
  /** Of the first piece in the draft. */
  readonly index: number;
  readonly pieces: readonly Piece[];
}

/** Makes chunks of drafts: vectors that a document's chunks have already are taken over, the rest is embedded. */
@Injectable()
export class ChunkEmbedder {
  constructor(
    private readonly chunks: ChunkRepository,
    private readonly embedder: Embedder,
  ) {}

  /**
   * The chunks of a run of pieces, in order; equal texts are embedded once.
   * @throws the errors of the embedding model; the reason of the present signal when it is aborted.
   */
  async embed(draft: Draft, { index, pieces }: PieceRun): Promise<NewChunk[]> {
    const texts = pieces.map((piece) => contentOf(draft, piece));
    const hashes = texts.map(contentHash);
    const vectors = await this.vectors(draft, new Map(hashes.map((hash, at) => [hash, texts[at] ?? ''])));
    return pieces.map((piece, offset) => {
      const embedding = vectors.get(hashes[offset] ?? '');
      if (embedding === undefined) throw new Error('the embedding model returned fewer vectors than texts');
      return {
        chunkNumber: draft.firstChunk + index + offset,
        content: texts[offset] ?? '',
        contentType: draft.chunkType,
        startOffset: draft.tailOffset + piece.start,
        endOffset: draft.tailOffset + piece.end,
        pageNumber: piece.pageNumber,
        metadata: draft.chunkMetadata?.[index + offset] ?? {},
        embedding,
      };
    });
  }

  /** Unit vectors of texts by their hashes; taken over from the chunks that the draft replaces. */
  private async vectors(
    { scope, document, firstChunk }: Draft,
    texts: ReadonlyMap<string, string>,
  ): Promise<Map<string, Float32Array>> {
    const known =
      document.chunk_count === 0
        ? new Map<string, Float32Array>()
        : await this.chunks.vectors(scope, document.external_id, [...texts.keys()], firstChunk);
    const missing = [...texts].filter(([hash]) => !known.has(hash));
    if (missing.length === 0) return known;
    const vectors = await this.embedder.embedDocuments(missing.map(([, text]) => text));
    for (const [at, [hash]] of missing.entries()) {
      const vector = vectors[at];
      if (vector !== undefined) known.set(hash, vector);
    }
    return known;
  }
}

/** SHA-256 of a chunk's content in UTF-8, hexadecimal; the database computes the same. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
