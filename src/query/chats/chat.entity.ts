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
import { AppEntity } from '../../auth/app.entity.js';

/**
 * A conversation. Its clients know it by the id they chose, within a tenant and an end user, which a unique index with
 * expressions holds to (TypeORM does not describe those): no end user is an owner of its own.
 */
@Entity('chats')
@Index('chats_identity', { synchronize: false })
@Index('chats_updated', ['appId', 'updatedAt', 'chatKey'])
export class ChatEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly chatKey: string;

  @Column({ type: 'text', collation: 'C' })
  readonly chatId: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly endUserId: string | null;

  @Column({ type: 'text' })
  readonly title: string;

  @Column({ type: 'integer' })
  readonly turnCount: number;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** Of the last turn: renaming leaves it. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updatedAt: Date;

  readonly lastTurn: ChatTurnEntity;
}

@Entity('chat_turns')
@Check('chat_turns_role_check', `role in ('user', 'assistant')`)
@ForeignKey(() => ChatEntity, ['appId', 'chatKey'], ['appId', 'chatKey'], { onDelete: 'CASCADE' })
export class ChatTurnEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly chatKey: string;

  @PrimaryColumn({ type: 'integer' })
  readonly position: number;

  @Column({ type: 'text' })
  readonly role: 'user' | 'assistant';

  @Column({ type: 'text' })
  readonly content: string;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly createdAt: Date;
}
