import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';
import { DocumentEntity } from '../corpus/document.entity.js';
import { SPARSE_VECTOR } from '../database/data-source.js';

/**
 * A chunk of a document. A chunk is visible if its revision is in its document's `live_revisions`. TypeORM cannot
 * describe the GIN index over the terms, nor the HNSW index over the embedding, which is created at start, when the
 * number of dimensions is known.
 */
@Entity('chunks')
@Index('chunks_terms', { synchronize: false })
@ForeignKey(() => DocumentEntity, ['appId', 'documentId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
export class ChunkEntity {
  @PrimaryColumn({ type: 'uuid' })
  readonly documentId: string;

  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'integer' })
  readonly chunkNumber: number;

  @PrimaryColumn({ type: 'bigint' })
  readonly revision: string;

  @Column({ type: 'text' })
  readonly content: string;

  /** SHA-256. */
  @Column({ type: 'bytea' })
  readonly contentHash: Buffer;

  /** Encoded context, which precedes the content in the text to embed; empty: no context. */
  @Column({ type: 'text', default: '' })
  readonly context: string;

  @Column({ type: 'text' })
  readonly contentType: string;

  @Column({ type: 'integer' })
  readonly startOffset: number;

  @Column({ type: 'integer' })
  readonly endOffset: number;

  @Column({ type: 'integer', nullable: true })
  readonly pageNumber: number | null;

  @Column({ type: 'jsonb', default: {} })
  readonly metadata: Record<string, unknown>;

  /** Keys of the inverted index, a GIN index over this column. */
  @Column({ type: 'bigint', array: true })
  readonly terms: readonly string[];

  /** Impact of each term by term number: its BM25 contribution without the idf. */
  @Column({ type: SPARSE_VECTOR })
  readonly impacts: string;

  @Column({ type: 'halfvec' })
  readonly embedding: readonly number[];
}

/** Number of a tenant's chunks that contain a key of the inverted index. */
@Entity('term_stats')
export class TermStatsEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'bigint' })
  readonly key: string;

  /** Length of the posting list: all chunks. */
  @Column({ type: 'integer' })
  readonly chunkCount: number;

  /** Document frequency: chunks of documents that everyone in the tenant may read. Scores depend on these only. */
  @Column({ type: 'integer', default: 0 })
  readonly sharedCount: number;
}

/** Number of chunks of a tenant. */
@Entity('corpus_stats')
export class CorpusStatsEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @Column({ type: 'bigint', default: 0 })
  readonly chunkCount: string;

  /** Number of chunks of documents that everyone in the tenant may read. */
  @Column({ type: 'bigint', default: 0 })
  readonly sharedCount: string;
}
