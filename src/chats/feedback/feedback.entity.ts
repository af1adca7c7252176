import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ConversationEntity } from '../conversation.entity.js';
import type { Evidence } from '../evidence.js';

export const RATINGS = ['good', 'bad'] as const;

/** A person's rating of an answer. */
export interface Rating {
  readonly rating: (typeof RATINGS)[number];
  readonly comment: string | null;
}

/**
 * Feedback on an answer in a chat. It contains a copy of the question and the answer, so that it survives the
 * replacement of the turn. Feedback is deleted with its chat.
 */
@Entity('answer_feedback')
@Check('answer_feedback_rating_check', `rating in ('good', 'bad')`)
@ForeignKey(() => ConversationEntity, ['appId', 'conversationId'], ['appId', 'conversationId'], {
  onDelete: 'CASCADE',
})
@Index('answer_feedback_rated', ['appId', 'ratedAt', 'conversationId', 'position'])
export class AnswerFeedbackEntity implements Rating {
  @PrimaryColumn({ type: 'text' })
  readonly appId: string;

  @PrimaryColumn({ type: 'uuid' })
  readonly conversationId: string;

  /** Position of the answer in its chat. */
  @PrimaryColumn({ type: 'integer' })
  readonly position: number;

  /** Time of the answer. Part of the key, because another answer may take the same position later. */
  @PrimaryColumn({ type: 'timestamptz' })
  readonly answeredAt: Date;

  @Column({ type: 'text' })
  readonly rating: Rating['rating'];

  @Column({ type: 'text', nullable: true })
  readonly comment: string | null;

  @Column({ type: 'text' })
  readonly question: string;

  @Column({ type: 'text' })
  readonly answer: string;

  @Column({ type: 'jsonb', nullable: true })
  readonly evidence: Evidence | null;

  /** Search options of the chat at the time of the rating. */
  @Column({ type: 'jsonb' })
  readonly search: Record<string, unknown>;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  readonly ratedAt: Date;
}
