import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { Embedder } from '../embedding/embedder.js';

/** The chunks whose vectors may be taken over: those of a document from a number on. */
export interface Predecessors {
  readonly documentId: string;
  readonly from: number;
}

/** Vectors for the texts of one document: those that its chunks have already are taken over, the rest is embedded. */
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
   * One unit vector for each text, in order; equal texts are embedded once.
   * @param predecessors null: the document has no chunks yet.
   * @throws the errors of the embedding model; the reason of `signal` when it is aborted.
   */
  async embed(
    scope: Scope,
    predecessors: Predecessors | null,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const hashes = texts.map(contentHash);
    const known =
      predecessors === null
        ? new Map<string, Float32Array>()
        : await this.chunks.vectors(scope, predecessors.documentId, hashes, predecessors.from);
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
