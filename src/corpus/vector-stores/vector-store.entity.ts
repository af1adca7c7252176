import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ChunkSizes } from '#reader';
import { ListlessEntity } from '../../access/owned.entity.js';
import { AppEntity } from '../../auth/app.entity.js';
import type { TypedMetadata } from '../../metadata/typed-metadata.js';
import { DocumentEntity } from '../document.entity.js';
import { FolderEntity } from '../folder.entity.js';

/** Vector store properties of a folder. A folder without a row is a vector store with defaults. */
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

  /** Days after the last activity; null if the store does not expire. */
  @Column({ type: 'integer', nullable: true })
  readonly expiresAfterDays: number | null;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly lastActiveAt: Date;

  /** Time at which the documents of the expired store were removed. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly emptiedAt: Date | null;
}

/** Attachment of a file to a store: the document is the file's copy in the store's folder. Stored in the document's shard. */
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

  /** Last batch that contained the file. */
  @Column({ type: 'uuid', nullable: true })
  readonly batchId: string | null;

  /** Requested chunk sizes; null for the configured sizes. */
  @Column({ type: 'jsonb', nullable: true })
  readonly chunking: ChunkSizes | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}

@Entity('file_batches')
@ForeignKey(() => FolderEntity, ['appId', 'folderId'], ['appId', 'folderId'], { onDelete: 'CASCADE' })
@Index('file_batches_folder', ['appId', 'folderId'])
export class FileBatchEntity extends ListlessEntity {
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

  /** null if the batch is shared with everyone in the tenant. */
  @Column({ type: 'text', nullable: true })
  readonly endUserId: string | null;
}

/** A file of a batch that is not attached: waiting, cancelled or failed. */
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

  /** Metadata of the document. If it is null and the file is already attached, the document keeps its metadata. */
  @Column({ type: 'jsonb', nullable: true })
  readonly metadata: TypedMetadata['metadata'] | null;

  @Column({ type: 'jsonb', nullable: true })
  readonly chunking: ChunkSizes | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'text', nullable: true })
  readonly error: string | null;
}

/** Where a file was before it was removed from a store. Cursors that name the file stay valid. */
@Entity('detached_files')
@Index('detached_files_detached', ['detachedAt'])
export class DetachedFileEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly folderId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly fileId: string;

  /** Time of the attachment in microseconds since 1970. */
  @Column({ type: 'bigint' })
  readonly place: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly detachedAt: Date;
}
