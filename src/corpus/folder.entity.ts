import { Column, CreateDateColumn, Entity, ForeignKey, Generated, PrimaryColumn, Unique } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';

/** A folder. Paths are normalised: one leading slash and no trailing slash. The root has no row. */
@Entity('folders')
@Unique(['appId', 'path'])
export class FolderEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly folderId: string;

  @Column({ type: 'text', collation: 'C' })
  readonly path: string;

  @Column({ type: 'text', nullable: true })
  readonly description: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updatedAt: Date;
}
