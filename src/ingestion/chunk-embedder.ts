import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import type { NewChunk } from '../chunks/chunk.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { Embedder } from '../embedding/embedder.js';
import type { Piece } from '../splitting/piece.js';
import { newChunks } from './new-chunks.js';
import { contentOf, type VersionDraft } from './version-draft.js';

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

  get model(): string {
    return this.embedder.model;
  }

  /**
   * The chunks of a run of pieces, in order; equal texts are embedded once.
   * @param row that the draft was made on
   * @throws the errors of the embedding model; the reason of `signal` when it is aborted.
   */
  async embed(
    scope: Scope,
    row: DocumentRow,
    draft: VersionDraft,
    { index, pieces }: PieceRun = { index: 0, pieces: draft.pieces },
    signal?: AbortSignal,
  ): Promise<NewChunk[]> {
    const texts = pieces.map((piece) => contentOf(draft, piece));
    return newChunks(draft, index, pieces, await this.vectors(scope, row, draft.firstChunk, texts, signal));
  }

  /** One unit vector for each text, in order; taken over from the chunks that the draft replaces. */
  private async vectors(
    scope: Scope,
    row: DocumentRow,
    firstChunk: number,
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const hashes = texts.map(contentHash);
    const known =
      row.chunk_count === 0
        ? new Map<string, Float32Array>()
        : await this.chunks.vectors(scope, row.external_id, hashes, firstChunk);
    const missing = new Map(
      texts.map((text, index) => [hashes[index] ?? '', text] as const).filter(([hash]) => !known.has(hash)),
    );
    if (missing.size > 0) {
      const vectors = await this.embedder.embedDocuments([...missing.values()], signal);
      [...missing.keys()].forEach((hash, index) => {
        const vector = vectors[index];
        if (vector !== undefined) known.set(hash, vector);
      });
    }
    return hashes.map((hash) => {
      const vector = known.get(hash);
      if (vector === undefined) throw new Error('the embedding model returned fewer vectors than texts');
      return vector;
    });
  }
}

/** SHA-256 of a chunk's content in UTF-8, hexadecimal; the database computes the same. */
export function contentHash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
