import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ListlessEntity } from '../../access/owned.entity.js';
import { AppEntity } from '../../auth/app.entity.js';

/** An uploaded file. Its bytes are stored once; its documents in all vector stores share the object. */
@Entity('files')
@Index('files_expiring', ['expiresAt'], { where: 'expires_at is not null' })
export class FileEntity extends ListlessEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  /** A UUID of version 7, so that the ids are in upload order. */
  @PrimaryColumn({ type: 'uuid' })
  readonly fileId: string;

  @Column({ type: 'text' })
  readonly purpose: string;

  @Column({ type: 'text' })
  readonly filename: string;

  /** Content type as the client declared it. */
  @Column({ type: 'text' })
  readonly contentType: string;

  @Column({ type: 'text' })
  readonly bucket: string;

  @Column({ type: 'text' })
  readonly objectKey: string;

  /** Size in bytes; a bigint. */
  @Column({ type: 'bigint' })
  readonly bytes: string;

  /** Hexadecimal SHA-256 of the bytes; null for files that earlier versions stored. */
  @Column({ type: 'text', nullable: true })
  readonly sha256: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  readonly expiresAt: Date | null;

  /** null: shared by the whole tenant. */
  @Column({ type: 'text', nullable: true })
  readonly endUserId: string | null;
}
