import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import sql from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import { vectorOf, vectorText } from '../chunks/vector-text.js';
import { run } from '../database/run.js';
import { Embedder } from '../embedding/embedder.js';

/** Texts embedded between two reports of progress, and staged together. */
const BATCH = 32;

export interface EmbeddingOptions {
  /** Stage finished batches, so that a resumed job does not embed them again. */
  readonly staged: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called after every batch with the share that is done, 0 to 1. */
  readonly onProgress?: (share: number) => Promise<void>;
}

/** Vectors for the texts of one document: those it has already are taken over, the rest is embedded in batches. */
@Injectable()
export class ChunkEmbedder {
  constructor(
    private readonly dataSource: DataSource,
    private readonly chunks: ChunkRepository,
    private readonly embedder: Embedder,
  ) {}

  get model(): string {
    return this.embedder.model;
  }

  /** One unit vector for each text, in order. @throws ProviderFailed when the embedding model fails. */
  async embed(
    scope: Scope,
    documentId: string,
    texts: readonly string[],
    options: EmbeddingOptions,
  ): Promise<Float32Array[]> {
    const known = await this.chunks.embeddings(scope, documentId, texts);
    if (options.staged && texts.length > BATCH) await this.addStaged(scope, documentId, known, texts);
    const missing = [...new Set(texts)].filter((text) => !known.has(text));
    for (let start = 0; start < missing.length; start += BATCH) {
      const batch = missing.slice(start, start + BATCH);
      const vectors = await this.embedder.embedDocuments(batch, options.signal);
      batch.forEach((text, index) => {
        const vector = vectors[index];
        if (vector !== undefined) known.set(text, vector);
      });
      if (options.staged && missing.length > BATCH) await this.stage(scope, documentId, batch, vectors);
      await options.onProgress?.(Math.min(1, (start + batch.length) / missing.length));
    }
    return texts.map((text) => {
      const vector = known.get(text);
      if (vector === undefined) throw new Error('the embedding model returned fewer vectors than texts');
      return vector;
    });
  }

  private async stage(
    scope: Scope,
    documentId: string,
    texts: readonly string[],
    vectors: readonly Float32Array[],
  ): Promise<void> {
    await run(
      this.dataSource,
      sql`insert into staged_embeddings (app_id, document_id, content_hash, embedding)
          select d.app_id, d.external_id, r.hash, r.vector::halfvec
          from unnest(${texts.map(hashOf)}::bytea[], ${vectors.map(vectorText)}::text[]) as r(hash, vector)
          join documents d on d.app_id = ${scope.appId} and d.external_id = ${documentId}::uuid
          on conflict do nothing`,
    );
  }

  private async addStaged(
    scope: Scope,
    documentId: string,
    known: Map<string, Float32Array>,
    texts: readonly string[],
  ): Promise<void> {
    const rows = await run<{ hash: string; embedding: string }>(
      this.dataSource,
      sql`select encode(content_hash, 'hex') as hash, embedding::text as embedding from staged_embeddings
          where app_id = ${scope.appId} and document_id = ${documentId}::uuid`,
    );
    const staged = new Map(rows.map(({ hash, embedding }) => [hash, embedding]));
    if (staged.size === 0) return;
    for (const text of texts) {
      const found = staged.get(hashOf(text).toString('hex'));
      if (found !== undefined) known.set(text, vectorOf(found));
    }
  }

  /** Forgets the staged vectors of a document whose version is stored. */
  async clearStage(manager: Parameters<typeof run>[0], scope: Scope, documentId: string): Promise<void> {
    await run(
      manager,
      sql`delete from staged_embeddings where app_id = ${scope.appId} and document_id = ${documentId}::uuid`,
    );
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
