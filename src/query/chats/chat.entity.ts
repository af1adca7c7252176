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
import type { CitationEntry } from '../citations/citations.js';
import type { CompletionSourceDto } from '../query-response.dto.js';

/** Citations and sources of an answer, as the answer had them. */
export interface TurnEvidence {
  readonly citations: readonly CitationEntry[];
  readonly sources: readonly CompletionSourceDto[];
  /** Text of the search; absent in older answers. */
  readonly searched?: string;
  /** Name of the model; absent in older answers. */
  readonly model?: string;
}

/**
 * A conversation, identified by a client-chosen id within its owner: a tenant with an end user, or with a key if there is
 * no end user. A unique expression index, which TypeORM cannot declare, enforces this.
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

  /** The key of an application that began the chat without an end user; null: an end user or the administrators own it. */
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

  /** Citations and sources of an answer; null for questions. Only the list of turns reads it. */
  @Column({ type: 'jsonb', nullable: true, select: false })
  readonly evidence: TurnEvidence | null;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly createdAt: Date;

  /** Whether the caller stopped the answer before its end. */
  @Column({ type: 'boolean', default: false })
  readonly stopped: boolean;
}
