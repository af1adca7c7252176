import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { AppEntity } from '../../auth/app.entity.js';

@Entity('conversations')
export class ConversationEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly conversationId: string;

  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly endUserId: string | null;

  @Column({ type: 'jsonb' })
  readonly metadata: Readonly<Record<string, string>>;

  /** Position of the next item. Positions of deleted items are not reused. */
  @Column({ type: 'integer', default: 0 })
  readonly nextPosition: number;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;
}

/** An item of a conversation. The item is a copy, so that it remains when its response is deleted. */
@Entity('conversation_items')
@ForeignKey(() => ConversationEntity, ['appId', 'conversationId'], ['appId', 'conversationId'], {
  onDelete: 'CASCADE',
})
@Unique(['appId', 'conversationId', 'itemId'])
export class ConversationItemEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly conversationId: string;

  @PrimaryColumn({ type: 'integer' })
  readonly position: number;

  @Column({ type: 'text', collation: 'C' })
  readonly itemId: string;

  @Column({ type: 'json' })
  readonly item: unknown;

  /** Size of `item` in bytes. */
  @Column({ type: 'integer' })
  readonly bytes: number;
}
