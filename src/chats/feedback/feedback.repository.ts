import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import type { ChatEntity } from '../chat.entity.js';
import type { AnswerFeedbackEntity, Rating } from './feedback.entity.js';

/** Feedback on an answer, with the identity of the chat that contains the answer. */
export type GivenFeedback = Pick<
  AnswerFeedbackEntity,
  'rating' | 'comment' | 'question' | 'answer' | 'evidence' | 'search' | 'ratedAt'
> &
  Pick<ChatEntity, 'chatId' | 'endUserId'>;

export interface FeedbackSelection {
  readonly rating: Rating['rating'] | null;
  readonly endUserId: string | null;
  readonly skip: number;
  readonly limit: number;
}

@Injectable()
export class FeedbackRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Stores a rating with a copy of the question and the answer, or replaces an earlier rating of the same answer.
   *
   * @returns whether the chat has an answer at the position
   */
  async put(
    { appId }: Scope,
    chatKey: string,
    position: number,
    { rating, comment }: Rating,
  ): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`insert into answer_feedback (app_id, chat_key, position, answered_at, rating, comment, question, answer,
            evidence, search)
          select a.app_id, a.chat_key, a.position, a.created_at, ${rating}, ${comment}, q.content, a.content,
            a.evidence, c.search
          from chat_turns a
          join chat_turns q on q.app_id = a.app_id and q.chat_key = a.chat_key and q.position = a.position - 1
          join chats c on c.app_id = a.app_id and c.chat_key = a.chat_key
          where a.app_id = ${appId} and a.chat_key = ${chatKey}::uuid and a.position = ${position}
            and a.role = 'assistant'
          on conflict (app_id, chat_key, position, answered_at)
          do update set rating = excluded.rating, comment = excluded.comment, rated_at = excluded.rated_at
          returning position`,
    );
    return rows.length > 0;
  }

  /** @returns whether the answer at the position had feedback */
  async delete({ appId }: Scope, chatKey: string, position: number): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from answer_feedback f using chat_turns a
          where f.app_id = ${appId} and f.chat_key = ${chatKey}::uuid and f.position = ${position}
            and a.app_id = f.app_id and a.chat_key = f.chat_key and a.position = f.position
            and a.created_at = f.answered_at
          returning f.position`,
    );
    return rows.length > 0;
  }

  /** Lists feedback, newest first. */
  async list(
    { appId }: Scope,
    { rating, endUserId, skip, limit }: FeedbackSelection,
  ): Promise<GivenFeedback[]> {
    const restrictions: readonly Sql[] = [
      rating === null ? empty : sql` and f.rating = ${rating}`,
      endUserId === null ? empty : sql` and c.end_user_id = ${endUserId}`,
    ];
    return run(
      this.dataSource,
      sql`select c.chat_id as "chatId", c.end_user_id as "endUserId", f.rating, f.comment, f.question, f.answer,
            f.evidence, f.search, f.rated_at as "ratedAt"
          from answer_feedback f
          join chats c on c.app_id = f.app_id and c.chat_key = f.chat_key
          where f.app_id = ${appId}${restrictions[0]}${restrictions[1]}
          order by f.rated_at desc, f.chat_key, f.position offset ${skip} limit ${limit}`,
    );
  }
}
