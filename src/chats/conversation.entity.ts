import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Generated,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import type { Owner } from '../access/principal.js';
import { AppEntity } from '../auth/app.entity.js';
import type { Evidence } from './evidence.js';

/** A view of the store: a chat, or a conversation or response of the OpenAI protocol. */
export type ConversationKind = 'chat' | 'conversation' | 'response';

/**
 * A conversation. Its owner is an end user, a key without an end user, or the administrators of a tenant. A response of
 * the OpenAI protocol is a conversation whose turns are the items of its input and output. Clients choose the id of a
 * chat, which is unique among the chats of an owner. A unique index over expressions, which TypeORM cannot declare,
 * enforces this rule.
 */
@Entity('conversations')
@Check('conversations_kind_check', `kind in ('chat', 'conversation', 'response')`)
@Index('chats_identity', { synchronize: false })
@Index('chats_readers', ['readers'], { type: 'gin', where: `kind = 'chat'` })
@Index('chats_updated', ['appId', 'updatedAt', 'conversationId'], { where: `kind = 'chat'` })
export class ConversationEntity {
  @PrimaryColumn({ type: 'text' })
  @ForeignKey(() => AppEntity, { onDelete: 'CASCADE' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  @Generated('uuid')
  readonly conversationId: string;

  @Column({ type: 'text', default: 'conversation' })
  readonly kind: ConversationKind;

  /** Whose it is; null: the administrators'. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly owner: Owner;

  /** The principals who may read and change it, the owner among them. */
  @Column({ type: 'text', array: true, default: [] })
  readonly readers: readonly string[];

  /** Folder and filter of the token that began it; null: it was begun without a token, or with one without a bound. */
  @Column({ type: 'jsonb', nullable: true })
  readonly bound: Readonly<Record<string, unknown>> | null;

  /** The id of a chat, which the client chose; null for a conversation or response. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly chatId: string | null;

  /** null for a conversation or response. */
  @Column({ type: 'text', nullable: true })
  readonly title: string | null;

  /** Of a chat: folder, filter and other search options of the last question, as in its request. */
  @Column({ type: 'jsonb', default: {} })
  readonly search: Record<string, unknown>;

  /** Of a chat: whether its reader lists it first. */
  @Column({ type: 'boolean', default: false })
  readonly pinned: boolean;

  /** Of a chat: the group in which its reader lists it. */
  @Column({ type: 'text', nullable: true })
  readonly folder: string | null;

  /** Of a chat: number of exchanges that were ever stored, with those that others replaced. */
  @Column({ type: 'integer', default: 0 })
  readonly revision: number;

  @Column({ type: 'jsonb', default: {} })
  readonly metadata: Readonly<Record<string, string>>;

  /** Position of the next turn. A conversation does not reuse the positions of deleted turns. */
  @Column({ type: 'integer', default: 0 })
  readonly nextPosition: number;

  /** Of a response: the response that it continues, which may have been deleted. */
  @Column({ type: 'uuid', nullable: true })
  readonly previousId: string | null;

  /** For a response: its object without `output`. */
  @Column({ type: 'json', nullable: true })
  readonly response: unknown;

  /** Of a response: number of its first turns that are its input. */
  @Column({ type: 'integer', nullable: true })
  readonly inputCount: number | null;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** Of a chat: time of the last turn; renaming does not change it. */
  @Column({ type: 'timestamptz', default: () => 'now()' })
  readonly updatedAt: Date;
}

export const ROLES = ['user', 'assistant', 'system', 'developer', 'tool'] as const;

/**
 * A turn of a conversation. A turn is a copy, so that it remains when the response that made it is deleted. If a client
 * replaces turns of a chat, the replaced ones stay under their positions as a version of their own. Other conversations
 * have one version.
 */
@Entity('turns')
@Check('turns_role_check', `role in ('user', 'assistant', 'system', 'developer', 'tool')`)
@ForeignKey(() => ConversationEntity, ['appId', 'conversationId'], ['appId', 'conversationId'], {
  onDelete: 'CASCADE',
})
@Unique('turns_item', ['appId', 'conversationId', 'itemId'])
export class TurnEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly conversationId: string;

  @PrimaryColumn({ type: 'integer' })
  readonly position: number;

  /** 0: the turn is shown. Otherwise the turn was replaced; turns that were replaced together have the same number. */
  @PrimaryColumn({ type: 'integer', default: 0 })
  readonly version: number;

  @Column({ type: 'text' })
  readonly role: (typeof ROLES)[number];

  /** The words; empty if `item` has them. */
  @Column({ type: 'text' })
  readonly content: string;

  /** What an answer is based on; null for other turns. */
  @Column({ type: 'jsonb', nullable: true })
  readonly evidence: Evidence | null;

  /** Whether the caller stopped the answer before its end. */
  @Column({ type: 'boolean', default: false })
  readonly stopped: boolean;

  /** Id of the item in the OpenAI protocol; null in a chat, and for an item that the conversation has already. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly itemId: string | null;

  /** The item in the OpenAI protocol, without what `content` and `evidence` hold; null in a chat. */
  @Column({ type: 'json', nullable: true })
  readonly item: unknown;

  /** Size of `content`, `evidence` and `item` in bytes. */
  @Column({ type: 'integer' })
  readonly bytes: number;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly createdAt: Date;
}

/** Where an item was before it was deleted from its conversation. Cursors that name the item stay valid. */
@Entity('deleted_items')
@ForeignKey(() => ConversationEntity, ['appId', 'conversationId'], ['appId', 'conversationId'], {
  onDelete: 'CASCADE',
})
export class DeletedItemEntity {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly conversationId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly itemId: string;

  @Column({ type: 'integer' })
  readonly position: number;
}
