import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { DocumentEntity } from '../corpus/document.entity.js';

/**
 * A page of a document as an image. Readers see it when its revision is one of its document's `page_revisions`. The HNSW
 * indexes, which TypeORM does not describe, are made when the length of the vectors is known.
 */
@Entity('pages')
@Unique(['appId', 'pageId'])
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

  /** What was embedded before the content: the title of the document; empty: nothing. */
  @Column({ type: 'text', default: '' })
  readonly context: string;

  /** Every vector of the page, encoded. */
  @Column({ type: 'bytea' })
  readonly vectors: Buffer;

  @Column({ type: 'integer' })
  readonly vectorCount: number;

  /** One vector for the whole page, by which candidates are found. */
  @Column({ type: 'halfvec' })
  readonly pooled: readonly number[];

  /** Perceptual hash of the image. */
  @Column({ type: 'bit', length: 64, nullable: true })
  readonly fingerprint: string | null;
}
