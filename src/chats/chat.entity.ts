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
import { AppEntity } from '../auth/app.entity.js';
import type { CitationEntry } from '../answering/citations/citations.js';
import type { AnswerSource } from '../answering/citations/source.js';

/** Citations and sources of an answer at the time of the answer. */
export interface TurnEvidence {
  readonly citations: readonly CitationEntry[];
  readonly sources: readonly AnswerSource[];
  /** The searched text; absent in older answers. */
  readonly searched?: string;
  /** Name of the model; absent in older answers. */
  readonly model?: string;
}

/**
 * A conversation. Its owner is an end user, a key without an end user, or the administrators of a tenant. Clients
 * choose the id, which is unique among the conversations of an owner. A unique index over expressions, which TypeORM
 * cannot declare, enforces this rule.
 */
@Entity('chats')
@Index('chats_identity', { synchronize: false })
@Index('chats_owner', ['appId', 'endUserId', 'keyId', 'updatedAt', 'chatKey'])
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

  /**
   * Id of the key that began the chat without an end user, and therefore owns it; null: the chat belongs to an end user
   * or to the administrators.
   */
  @Column({ type: 'text', collation: 'C', nullable: true })
  readonly keyId: string | null;

  @Column({ type: 'text' })
  readonly title: string;

  @Column({ type: 'integer' })
  readonly turnCount: number;

  /** Folder, filter and other search options of the last question, as in its request. */
  @Column({ type: 'jsonb', default: {} })
  readonly search: Record<string, unknown>;

  @CreateDateColumn({ type: 'timestamptz' })
  readonly createdAt: Date;

  /** Time of the last turn; renaming does not change it. */
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

  /**
   * Citations and sources of an answer; null for questions. Not selected by default, because only the list of turns
   * needs them.
   */
  @Column({ type: 'jsonb', nullable: true, select: false })
  readonly evidence: TurnEvidence | null;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly createdAt: Date;

  /** Whether the caller stopped the answer before its end. */
  @Column({ type: 'boolean', default: false })
  readonly stopped: boolean;
}
