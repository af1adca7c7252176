import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';
import { DocumentEntity } from '../corpus/document.entity.js';
import { SPARSE_VECTOR } from '../database/data-source.js';

/**
 * A chunk of a document. Readers see it when its revision is one of its document's `live_revisions`. TypeORM describes
 * neither the HNSW index over the embedding, which is made at start, when its dimensions are known, nor the GIN index over
 * the terms.
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

  /** What was embedded before the content; empty: nothing. */
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

  /** What each term adds to BM25, by its number. */
  @Column({ type: SPARSE_VECTOR })
  readonly impacts: string;

  @Column({ type: 'halfvec' })
  readonly embedding: readonly number[];
}

/** How many chunks of a tenant have a key of the inverted index. */
@Entity('term_stats')
export class TermStatsEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'bigint' })
  readonly key: string;

  @Column({ type: 'integer' })
  readonly chunkCount: number;
}

/** How many chunks a tenant has. */
@Entity('corpus_stats')
export class CorpusStatsEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @Column({ type: 'bigint', default: 0 })
  readonly chunkCount: string;
}

/** What the installation as a whole remembers: the space of its embeddings. */
@Entity('service_state')
export class ServiceStateEntity {
  @PrimaryColumn({ type: 'text' })
  readonly name: string;

  @Column({ type: 'jsonb' })
  readonly value: unknown;
}
