import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { DocumentEntity } from '../corpus/document.entity.js';

/**
 * A page of a document as an image. A page is visible if its revision is in its document's `page_revisions`. TypeORM
 * cannot describe the HNSW indexes; the index over the vectors is created when the number of dimensions is known.
 */
@Entity('pages')
@Unique(['appId', 'pageId'])
@Index('pages_fingerprint', { synchronize: false })
@ForeignKey(() => DocumentEntity, ['appId', 'documentId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
export class PageEntity {
  @PrimaryColumn({ type: 'uuid' })
  readonly documentId: string;

  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  /** 1-based. */
  @PrimaryColumn({ type: 'integer' })
  readonly pageNumber: number;

  /** Revision of the job that rendered the page. */
  @PrimaryColumn({ type: 'bigint' })
  readonly revision: string;

  /** Identifies the page in search statements. Shorter than the primary key. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  readonly pageId: string;

  /** Object key of the PNG. */
  @Column({ type: 'text' })
  readonly objectKey: string;

  /** Size of the PNG in bytes; 0: unknown, because an earlier version stored the page. */
  @Column({ type: 'integer', default: 0 })
  readonly imageSize: number;

  /** In pixels. */
  @Column({ type: 'integer' })
  readonly width: number;

  @Column({ type: 'integer' })
  readonly height: number;

  /** Text of the page, from its text layer or from OCR. */
  @Column({ type: 'text' })
  readonly content: string;

  /** Quantised vectors of the page; null: not embedded. */
  @Column({ type: 'bytea', nullable: true })
  readonly vectors: Buffer | null;

  @Column({ type: 'integer', nullable: true })
  readonly vectorCount: number | null;

  /** Pooled vector for candidate search. */
  @Column({ type: 'halfvec', nullable: true })
  readonly pooled: readonly number[] | null;

  /** Perceptual hash of the image. */
  @Column({ type: 'bit', length: 64, nullable: true })
  readonly fingerprint: string | null;
}
