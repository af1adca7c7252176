import { Column, CreateDateColumn, Entity, ForeignKey, Generated, PrimaryColumn, Unique } from 'typeorm';
import { ListedEntity } from '../access/owned.entity.js';
import { AppEntity } from '../auth/app.entity.js';

/** A person's own view of a folder that others had made in private. */
export interface FolderClaim {
  /** ISO 8601. */
  readonly at: string;
  readonly description: string | null;
}

/** A folder. Paths are normalised: one leading slash and no trailing slash. The root has no row. */
@Entity('folders')
@Unique(['appId', 'path'])
export class FolderEntity extends ListedEntity {
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

  /** The person who made the folder; null: the tenant. */
  @Column({ type: 'text', nullable: true })
  readonly endUserId: string | null;

  /** What people see of the folder who made it although others had already made it in private, by person. */
  @Column({ type: 'jsonb', default: {} })
  readonly claims: Readonly<Record<string, FolderClaim>>;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updatedAt: Date;
}
