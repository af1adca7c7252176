import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { NO_CONTEXT } from '#reader';
import { type Scope, scopeOf, shardIds } from '../../src/auth/scope.js';
import type { NewChunk } from '../../src/chunks/chunk.js';
import { ChunkWriter, type LiveDocument } from '../../src/chunks/chunk-writer.js';
import { VectorIndex } from '../../src/chunks/vectors/vector-column.js';
import type { EmbeddingSpace } from '../../src/chunks/vectors/vector-space.js';
import { run } from '../../src/database/run.js';
import { toUnitLength } from '../../src/models/embedding/unit-length.js';
import { fakeVector } from './fake-embeddings.mjs';

export interface DocumentFields {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly folder?: string;
  readonly endUserId?: string;
  readonly status?: 'completed' | 'processing' | 'failed';
}

/** Accepts vectors of any model. */
const ANY_SPACE = { requireOwnIn: () => Promise.resolve() } as unknown as EmbeddingSpace;

/** Inserts documents with chunks into a database, without a service. */
export class StoredDocuments {
  private readonly writer: ChunkWriter;

  constructor(
    readonly dataSource: DataSource,
    readonly dimensions: number,
  ) {
    this.writer = new ChunkWriter(dataSource, ANY_SPACE);
  }

  async makeVectorIndex(): Promise<void> {
    await run(this.dataSource, VectorIndex.of(this.dataSource, this.dimensions).creation());
  }

  async tenant(appId: string, shards = 1): Promise<Scope> {
    const [id, ...others] = shardIds({ appId, shards });
    await this.dataSource.query('insert into apps (app_id, name) values ($1, $1)', [id]);
    if (others.length > 0) {
      await this.dataSource.query('update apps set shards = $2 where app_id = $1', [id, shards]);
      await this.dataSource.query(
        'insert into apps (app_id, name, shards) select id, id, 0 from unnest($1::text[]) id',
        [others],
      );
    }
    return scopeOf(appId, ['admin'], 'test', { shards });
  }

  async add(
    scope: Scope,
    contents: readonly string[],
    { metadata = {}, folder, endUserId, status = 'completed' }: DocumentFields = {},
  ): Promise<string> {
    const id = randomUUID();
    await this.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, metadata, folder_path, end_user_id, chunk_count,
         in_shared_statistics)
       values ($1, $2, $3, 'text/plain', $4, $5, $6, $7, $6::text is null)`,
      [scope.appId, id, status, JSON.stringify(metadata), folder, endUserId, contents.length],
    );
    await this.replace(scope, id, contents);
    return id;
  }

  async replace(scope: Scope, documentId: string, contents: readonly string[], from = 0): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query('update documents set chunk_count = $3 where app_id = $1 and external_id = $2', [
        scope.appId,
        documentId,
        from + contents.length,
      ]);
      const change = { document: liveOf(scope, documentId), from, chunks: this.chunks(contents, from) };
      await this.writer.replace(manager, scope.appId, [change]);
    });
  }

  async remove(scope: Scope, documentId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await this.writer.deleteAll(manager, scope.appId, [documentId]);
      await manager.query('delete from documents where app_id = $1 and external_id = $2', [
        scope.appId,
        documentId,
      ]);
    });
  }

  chunks(contents: readonly string[], from = 0): NewChunk[] {
    return contents.map((content, index) => ({
      chunkNumber: from + index,
      content,
      context: NO_CONTEXT,
      contentType: 'text/plain',
      startOffset: 0,
      endOffset: content.length,
      pageNumber: null,
      metadata: {},
      embedding: this.vector(content),
    }));
  }

  vector(text: string): Float32Array {
    const vector = Float32Array.from(fakeVector(text, this.dimensions));
    toUnitLength(vector);
    return vector;
  }
}

export function liveOf(scope: Scope, documentId: string): LiveDocument {
  return { appId: scope.appId, documentId, liveRevisions: ['0'] };
}
