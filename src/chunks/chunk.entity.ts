import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';
import { DocumentEntity } from '../corpus/document.entity.js';

/**
 * A chunk of a document. Readers see it when its revision is one of its document's `live_revisions`. The HNSW index over
 * the embedding has an expression, which TypeORM does not describe; it is made at start, when its dimensions are known.
 */
@Entity('chunks')
@Unique(['appId', 'chunkId'])
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

  /** What postings point at. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  readonly chunkId: string;

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

  @Column({ type: 'text', array: true, collation: 'C' })
  readonly terms: readonly string[];

  /** Number of terms, counted with repetition. */
  @Column({ type: 'integer' })
  readonly length: number;

  @Column({ type: 'halfvec' })
  readonly embedding: readonly number[];
}

/** A term in a chunk. The primary key covers the whole row (`include`), which TypeORM does not describe. */
@Entity('postings')
export class PostingEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly appId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly term: string;

  @PrimaryColumn({ type: 'bigint' })
  readonly chunkId: string;

  @Column({ type: 'integer' })
  readonly tf: number;

  @Column({ type: 'integer' })
  readonly len: number;
}

/** How many chunks of a tenant have a term. */
@Entity('term_stats')
export class TermStatsEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly appId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly term: string;

  @Column({ type: 'integer' })
  readonly chunkCount: number;
}

/** How many chunks a tenant has, and how many terms they hold together. */
@Entity('corpus_stats')
export class CorpusStatsEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @Column({ type: 'bigint', default: 0 })
  readonly chunkCount: string;

  @Column({ type: 'bigint', default: 0 })
  readonly totalLength: string;
}

/** What the installation as a whole remembers: the space of its embeddings. */
@Entity('service_state')
export class ServiceStateEntity {
  @PrimaryColumn({ type: 'text' })
  readonly name: string;

  @Column({ type: 'jsonb' })
  readonly value: unknown;
}
