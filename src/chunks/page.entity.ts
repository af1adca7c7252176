import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { DocumentEntity } from '../corpus/document.entity.js';

/**
 * A page of a document as an image. Readers see it when its revision is one of its document's `page_revisions`. The HNSW
 * indexes are not described to TypeORM, which does not know them; that of the vectors is made when their length is known.
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

  /** From 1. */
  @PrimaryColumn({ type: 'integer' })
  readonly pageNumber: number;

  /** Of the job that drew it. */
  @PrimaryColumn({ type: 'bigint' })
  readonly revision: string;

  /** What a search finds. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  readonly pageId: string;

  /** Of the image, a PNG. */
  @Column({ type: 'text' })
  readonly objectKey: string;

  /** Of the image, in bytes; 0: it was stored before sizes were kept. */
  @Column({ type: 'integer', default: 0 })
  readonly imageSize: number;

  /** In pixels. */
  @Column({ type: 'integer' })
  readonly width: number;

  @Column({ type: 'integer' })
  readonly height: number;

  /** The page's own text, from its text layer or by recognition. */
  @Column({ type: 'text' })
  readonly content: string;

  /** Every vector of the page, encoded; null: no model has seen it. */
  @Column({ type: 'bytea', nullable: true })
  readonly vectors: Buffer | null;

  @Column({ type: 'integer', nullable: true })
  readonly vectorCount: number | null;

  /** One vector for the whole page, by which candidates are found. */
  @Column({ type: 'halfvec', nullable: true })
  readonly pooled: readonly number[] | null;

  /** Perceptual hash of the image. */
  @Column({ type: 'bit', length: 64, nullable: true })
  readonly fingerprint: string | null;
}
