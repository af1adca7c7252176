import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { ConversationEntity } from '../conversation.entity.js';

/** A link by which people of the tenant read a chat. A chat has at most one. */
@Entity('chat_links')
@ForeignKey(() => ConversationEntity, ['appId', 'conversationId'], ['appId', 'conversationId'], {
  onDelete: 'CASCADE',
})
@Unique('chat_links_link', ['appId', 'linkId'])
export class ChatLinkEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly conversationId: string;

  /**
   * Nobody can guess it. It is stored as it is, so that the owner can copy the link again: it opens nothing without a
   * key of the tenant.
   */
  @Column({ type: 'text', collation: 'C' })
  readonly linkId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** null: it works until it is ended. */
  @Column({ type: 'timestamptz', nullable: true })
  readonly expiresAt: Date | null;
}
