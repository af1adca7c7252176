import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Generated,
  Index,
  PrimaryColumn,
} from 'typeorm';
import { ListedEntity } from '../access/owned.entity.js';
import { AppEntity } from '../auth/app.entity.js';
import { FolderEntity } from './folder.entity.js';

/** The PDF that LibreOffice made of an office file, to draw its pages. The key of its object is {@link renditionKey}. */
export type Rendition =
  | { readonly pages: number }
  /** The file cannot be converted; one sentence with the reason. */
  | { readonly error: string };

/** A stored source file of a document. Each version that is made from a file adds a source file. */
export interface StoredFile {
  readonly bucket: string;
  readonly key: string;
  readonly version: number;
  readonly filename: string | null;
  readonly content_type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Size in bytes; absent for files stored by versions that did not record sizes. */
  readonly size?: number;
  /** Hexadecimal SHA-256 of the bytes; absent for files stored by versions that did not record it. */
  readonly sha256?: string;
  /** Absent for files that were not converted, because nobody looked at their pages or they need no conversion. */
  readonly rendition?: Rendition;
}

/** Ending of the object keys of renditions. */
export const RENDITION = '.pages.pdf';

/** Returns the key of the PDF that is made of a stored file. */
export function renditionKey(key: string): string {
  return `${key}${RENDITION}`;
}

/** Cause of a failed ingestion: an unsupported type, an unreadable file, or the service. */
export type ErrorKind = 'unsupported' | 'unreadable' | 'internal';

export interface Progress {
  readonly current_step: number;
  readonly total_steps: number;
  readonly step_name: string;
  /** 0 to 100. */
  readonly percentage: number;
}

export interface HistoryEntry {
  readonly version: number;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly strategy: string;
  readonly filename?: string;
  readonly metadata_updated: boolean;
  /** Person who made the change; null: an application. Absent in entries that an older release wrote. */
  readonly end_user_id?: string | null;
}

export const DOCUMENT_STATUSES = ['processing', 'completed', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

export interface DocumentKey {
  readonly appId: string;
  readonly documentId: string;
}

/**
 * A document, with property names as in the table. The table has two expression indexes that TypeORM cannot describe:
 * the trigrams of lower(filename), and the hashes of ids. A search samples documents in the order of these hashes.
 */
@Entity('documents')
@Check('documents_status_check', `status in ('processing', 'completed', 'failed')`)
@ForeignKey(() => FolderEntity, ['app_id', 'folder_id'], ['appId', 'folderId'])
@Index('documents_metadata', ['metadata'], { type: 'gin' })
@Index('documents_metadata_hashes', ['metadata_hashes'], { type: 'gin' })
@Index('documents_readers', ['readers'], { type: 'gin' })
@Index('documents_folder', ['app_id', 'folder_path'])
@Index('documents_in_folder', ['app_id', 'folder_id', 'external_id'])
@Index('documents_end_user', ['app_id', 'end_user_id'])
@Index('documents_filename', ['app_id', 'filename'])
@Index('documents_source', ['app_id', 'source_sha256'], { where: 'source_sha256 is not null' })
@Index('documents_updated', ['app_id', 'updated_at', 'external_id'])
@Index('documents_unfinished', ['status'], { where: `status <> 'completed'` })
@Index('documents_sample', { synchronize: false })
export class DocumentEntity extends ListedEntity {
  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly external_id: string;

  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly app_id: string;

  /** `completed` from the first finished version on. A completed document stays searchable while it is being updated. */
  @Column({ type: 'text' })
  readonly status: DocumentStatus;

  @Column({ type: 'integer', default: 1 })
  readonly version: number;

  /** Incremented when the text changes. A change of metadata alone does not increment it. */
  @Column({ type: 'integer', default: 1 })
  readonly text_version: number;

  @Column({ type: 'text' })
  readonly content_type: string;

  @Column({ type: 'text', nullable: true })
  readonly filename: string | null;

  /** The file name as it was given; null if it is spelt as `filename`. */
  @Column({ type: 'text', nullable: true, select: false })
  readonly given_filename: string | null;

  @Column({ type: 'jsonb', default: {} })
  readonly metadata: Record<string, unknown>;

  /** By key, the metadata values that the caller spelt differently from `metadata`. */
  @Column({ type: 'jsonb', default: {}, select: false })
  readonly given_metadata: Record<string, unknown>;

  @Column({ type: 'jsonb', default: {} })
  readonly metadata_types: Record<string, string>;

  @Column({ type: 'jsonb', default: {} })
  readonly additional_metadata: Record<string, unknown>;

  @Column({ type: 'jsonb', default: [] })
  readonly storage_files: readonly StoredFile[];

  /** Job that rebuilds the text when the document is requeued; null if the text has no single stored source. */
  @Column({ type: 'jsonb', nullable: true })
  readonly ingested_from: unknown;

  /** Hexadecimal SHA-256 of the bytes that the whole text was made of; null if it was made of several, or changed. */
  @Column({ type: 'text', nullable: true })
  readonly source_sha256: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly folder_path: string | null;

  @Column({ type: 'uuid', nullable: true })
  readonly folder_id: string | null;

  @Column({ type: 'text', nullable: true })
  readonly end_user_id: string | null;

  /**
   * Whether the statistics of words count the chunks as chunks that everyone in the tenant may read. A change of the
   * readers moves the chunks in the same transaction.
   */
  @Column({ type: 'boolean', default: false, select: false })
  readonly in_shared_statistics: boolean;

  @Column({ type: 'boolean', default: false })
  readonly use_colpali: boolean;

  @Column({ type: 'text', nullable: true })
  readonly embedding_model: string | null;

  @Column({ type: 'integer', nullable: true })
  readonly page_count: number | null;

  @Column({ type: 'integer', default: 0 })
  readonly chunk_count: number;

  /** UTF-16 units of the document's text. */
  @Column({ type: 'integer', default: 0 })
  readonly text_length: number;

  /** Visible revisions of chunks. */
  @Column({ type: 'bigint', array: true, default: [0] })
  readonly live_revisions: readonly string[];

  /** Visible revisions of pages. */
  @Column({ type: 'bigint', array: true, default: [] })
  readonly page_revisions: readonly string[];

  /** Progress of the queued or running job; null if the document has no such job. */
  @Column({ type: 'jsonb', nullable: true })
  readonly progress: Progress | null;

  @Column({ type: 'text', nullable: true })
  readonly error: string | null;

  /** Set if `error` is set. */
  @Column({ type: 'text', nullable: true })
  readonly error_kind: ErrorKind | null;

  @Column({ type: 'jsonb', default: [] })
  readonly update_history: readonly HistoryEntry[];

  @CreateDateColumn({ type: 'timestamptz' })
  readonly created_at: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updated_at: Date;

  /** Hashes of the top-level keys and scalars of the metadata, for an index. */
  @Column({
    type: 'bigint',
    array: true,
    select: false,
    insert: false,
    update: false,
    generatedType: 'STORED',
    asExpression: 'hash_metadata(metadata)',
  })
  readonly metadata_hashes: readonly string[];
}

/** A part of a document's text; the text is the concatenation of its parts. */
@Entity('document_texts')
@ForeignKey(() => DocumentEntity, ['appId', 'documentId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
export class DocumentTextEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly documentId: string;

  @PrimaryColumn({ type: 'integer' })
  readonly part: number;

  @Column({ type: 'text' })
  readonly content: string;

  /** In UTF-16 units. */
  @Column({ type: 'integer' })
  readonly startOffset: number;
}

/**
 * A number or text of a top-level metadata key, for range filters. Triggers on `documents` write the rows. The table
 * has no primary key, but TypeORM requires one. Therefore this entity names primary columns, and the schema builder
 * skips the table.
 */
@Entity('metadata_order', { synchronize: false })
@ForeignKey(() => DocumentEntity, ['appId', 'documentId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
@Index('metadata_order_number', ['appId', 'name', 'spread', 'number', 'documentId'], {
  where: 'number is not null',
})
@Index('metadata_order_text', ['appId', 'name', 'spread', 'text', 'documentId'], {
  where: 'text is not null',
})
@Index('metadata_order_document', ['appId', 'documentId'])
export class MetadataOrderEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly documentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly name: string;

  /** Whether the value is an element of an array. */
  @Column({ type: 'boolean' })
  readonly spread: boolean;

  @Column({ type: 'numeric', nullable: true })
  readonly number: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly text: string | null;
}
