import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { userPrincipal } from '../../access/principal.js';
import { TALK_END_USER } from '../../access/talk.js';
import type { Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { TalkRepository } from '../talk.repository.js';
import type { AnswerFeedbackEntity, Rating } from './feedback.entity.js';

/** Feedback on an answer, with the identity of the chat that contains the answer. */
export type GivenFeedback = Pick<
  AnswerFeedbackEntity,
  'rating' | 'comment' | 'question' | 'answer' | 'evidence' | 'search' | 'ratedAt'
> & {
  readonly chatId: string;
  readonly endUserId: string | null;
};

export interface FeedbackSelection {
  readonly rating: Rating['rating'] | null;
  readonly endUserId: string | null;
  readonly skip: number;
  readonly limit: number;
}

@Injectable()
export class FeedbackRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly talk: TalkRepository,
  ) {}

  /**
   * Stores a rating with a copy of the question and the answer, or replaces an earlier rating of the same answer.
   *
   * @returns whether the chat has an answer at the position
   */
  async put({ appId }: Scope, id: string, position: number, { rating, comment }: Rating): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`insert into answer_feedback (app_id, conversation_id, position, answered_at, rating, comment, question, answer,
            evidence, search)
          select a.app_id, a.conversation_id, a.position, a.created_at, ${rating}, ${comment}, q.content, a.content,
            a.evidence, c.search
          from turns a
          join turns q on q.app_id = a.app_id and q.conversation_id = a.conversation_id and q.position = a.position - 1
            and q.version = 0
          join conversations c on c.app_id = a.app_id and c.conversation_id = a.conversation_id
          where a.app_id = ${appId} and a.conversation_id = ${id}::uuid and a.position = ${position}
            and a.version = 0 and a.role = 'assistant'
          on conflict (app_id, conversation_id, position, answered_at)
          do update set rating = excluded.rating, comment = excluded.comment, rated_at = excluded.rated_at
          returning position`,
    );
    return rows.length > 0;
  }

  /** @returns whether the answer at the position had feedback */
  async delete({ appId }: Scope, id: string, position: number): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from answer_feedback f using turns a
          where f.app_id = ${appId} and f.conversation_id = ${id}::uuid and f.position = ${position}
            and a.app_id = f.app_id and a.conversation_id = f.conversation_id and a.position = f.position
            and a.version = 0 and a.created_at = f.answered_at
          returning f.position`,
    );
    return rows.length > 0;
  }

  /** Lists feedback, newest first, without the quotes that its reader may not read. */
  async list(scope: Scope, { rating, endUserId, skip, limit }: FeedbackSelection): Promise<GivenFeedback[]> {
    const restrictions: readonly Sql[] = [
      rating === null ? empty : sql` and f.rating = ${rating}`,
      endUserId === null ? empty : sql` and c.owner = ${userPrincipal(endUserId)}`,
    ];
    const given = await run<GivenFeedback>(
      this.dataSource,
      sql`select c.chat_id as "chatId", ${TALK_END_USER} as "endUserId", f.rating, f.comment, f.question, f.answer,
            f.evidence, f.search, f.rated_at as "ratedAt"
          from answer_feedback f
          join conversations c on c.app_id = f.app_id and c.conversation_id = f.conversation_id
          where f.app_id = ${scope.appId}${restrictions[0]}${restrictions[1]}
          order by f.rated_at desc, f.conversation_id, f.position offset ${skip} limit ${limit}`,
    );
    const answers = given.map((one) => ({ ...one, content: one.answer }));
    const readable = await this.talk.readable(scope, null, answers);
    return readable.map(({ content, ...one }) => ({ ...one, answer: content }));
  }
}
