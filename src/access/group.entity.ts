import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AppEntity } from '../auth/app.entity.js';

@Entity('groups')
export class GroupEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  /** The id in `group:ID`. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly groupId: string;

  /** Name for people; null: the id. */
  @Column({ type: 'text', nullable: true })
  readonly name: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}

/** A member of a group. The person need not have a key yet. */
@Entity('group_members')
@ForeignKey(() => GroupEntity, ['appId', 'groupId'], ['appId', 'groupId'], { onDelete: 'CASCADE' })
@Index('group_members_person', ['appId', 'endUserId'])
export class GroupMemberEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly groupId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly endUserId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly addedAt: Date;
}
