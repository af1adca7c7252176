import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Generated,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { computed, ListedEntity } from '../access/owned.entity.js';
import { AppEntity } from '../auth/app.entity.js';

/** A person's own view of a folder that others had made in private. */
export interface FolderClaim {
  /** ISO 8601. */
  readonly at: string;
  readonly description: string | null;
}

const PARENT_OF_PATH = `left(path, length(path) - strpos(reverse(path), '/'))`;

/** A folder. Paths are normalised: one leading slash and no trailing slash. The root has no row. */
@Entity('folders')
@Unique(['appId', 'path'])
@Index('folders_parent', ['appId', 'parent'])
export class FolderEntity extends ListedEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly folderId: string;

  @Column({ type: 'text', collation: 'C' })
  readonly path: string;

  /** Path of the parent folder; empty at the top level. */
  @Column({
    type: 'text',
    collation: 'C',
    nullable: true,
    select: false,
    ...computed(PARENT_OF_PATH),
  })
  readonly parent: string;

  @Column({ type: 'text', nullable: true })
  readonly description: string | null;

  /** The person who made the folder; null: the tenant. */
  @Column({ type: 'text', nullable: true })
  readonly endUserId: string | null;

  /** For each person who made this folder after others had made it in private: what the person sees of it. */
  @Column({ type: 'jsonb', default: {} })
  readonly claims: Readonly<Record<string, FolderClaim>>;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updatedAt: Date;
}
