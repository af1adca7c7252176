import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ChunkSizes } from '../../config/combinations.js';
import type { TypedMetadata } from '../../metadata/typed-metadata.js';
import { DocumentEntity } from '../document.entity.js';
import { FolderEntity } from '../folder.entity.js';

/** What a folder has as a vector store beyond a folder. A folder without a row is a store too. */
@Entity('vector_stores')
@ForeignKey(() => FolderEntity, ['appId', 'folderId'], ['appId', 'folderId'], { onDelete: 'CASCADE' })
export class VectorStoreEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly folderId: string;

  @Column({ type: 'text', nullable: true })
  readonly name: string | null;

  @Column({ type: 'text', nullable: true })
  readonly description: string | null;

  @Column({ type: 'jsonb', nullable: true })
  readonly metadata: Readonly<Record<string, string>> | null;

  /** Days after the last activity; null: it does not expire. */
  @Column({ type: 'integer', nullable: true })
  readonly expiresAfterDays: number | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly lastActiveAt: Date;

  /** When the documents of the expired store were removed. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly emptiedAt: Date | null;
}

/** Makes a document the copy of a file in the store of its folder. It lies in the shard of the document. */
@Entity('file_attachments')
@ForeignKey(() => DocumentEntity, ['appId', 'documentId'], ['app_id', 'external_id'], { onDelete: 'CASCADE' })
@Index('file_attachments_file', ['appId', 'fileId'])
@Index('file_attachments_batch', ['appId', 'batchId'])
export class FileAttachmentEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly documentId: string;

  @Column({ type: 'uuid' })
  readonly fileId: string;

  /** The last batch that named the file. */
  @Column({ type: 'uuid', nullable: true })
  readonly batchId: string | null;

  /** null: the sizes of the configuration. */
  @Column({ type: 'jsonb', nullable: true })
  readonly chunking: ChunkSizes | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}

/** Files that were put into a store together. */
@Entity('file_batches')
@ForeignKey(() => FolderEntity, ['appId', 'folderId'], ['appId', 'folderId'], { onDelete: 'CASCADE' })
@Index('file_batches_folder', ['appId', 'folderId'])
export class FileBatchEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly batchId: string;

  @Column({ type: 'uuid' })
  readonly folderId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  readonly cancelledAt: Date | null;
}

/** A file of a batch that is not attached: it waits, was cancelled with its batch, or failed. */
@Entity('file_batch_entries')
@ForeignKey(() => FileBatchEntity, ['appId', 'batchId'], ['appId', 'batchId'], { onDelete: 'CASCADE' })
@Index('file_batch_entries_folder', ['appId', 'folderId'])
@Index('file_batch_entries_file', ['appId', 'fileId'])
export class FileBatchEntryEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly batchId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly fileId: string;

  @Column({ type: 'uuid' })
  readonly folderId: string;

  /** Of the document to be. null: an attached file keeps what it has. */
  @Column({ type: 'jsonb', nullable: true })
  readonly metadata: TypedMetadata['metadata'] | null;

  @Column({ type: 'jsonb', nullable: true })
  readonly chunking: ChunkSizes | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** Why it failed. */
  @Column({ type: 'text', nullable: true })
  readonly error: string | null;
}
