import { Injectable } from '@nestjs/common';
import { endUserOf } from '../../access/principal.js';
import type { Scope } from '../../auth/scope.js';
import { NotFound } from '../../errors/index.js';
import { ChatService } from '../chat.service.js';
import type { Rating } from './feedback.entity.js';
import { FeedbackRepository, type FeedbackSelection, type GivenFeedback } from './feedback.repository.js';
import { questionLine } from './question-line.js';

/** Number of feedback entries that one statement reads for the file of questions. */
const BATCH = 500;

/** Stores ratings of answers, and exports well-rated answers as questions for an evaluation. */
@Injectable()
export class FeedbackService {
  constructor(
    private readonly chats: ChatService,
    private readonly feedback: FeedbackRepository,
  ) {}

  /** @throws NotFound for a chat that the key may not read, and for a position without an answer. */
  async rate(
    scope: Scope,
    chatId: string,
    endUserId: string | null,
    position: number,
    rating: Rating,
  ): Promise<void> {
    const id = await this.chats.idOf(scope, chatId, { endUserId });
    if (!(await this.feedback.put(scope, id, position, rating))) {
      throw new NotFound(`The chat has no answer at index ${position}`);
    }
  }

  /** @throws NotFound for a chat that the key may not read, and for an answer without feedback. */
  async withdraw(scope: Scope, chatId: string, endUserId: string | null, position: number): Promise<void> {
    const id = await this.chats.idOf(scope, chatId, { endUserId });
    if (!(await this.feedback.delete(scope, id, position))) {
      throw new NotFound(`The answer at index ${position} has no feedback`);
    }
  }

  /**
   * Lists feedback. A key of an end user gets only the feedback on this end user's chats, because it may not read other
   * chats.
   */
  list(scope: Scope, selection: FeedbackSelection): Promise<GivenFeedback[]> {
    return this.feedback.list(scope, { ...selection, endUserId: endUserOf(scope, selection.endUserId) });
  }

  /**
   * Returns the questions of answers with the rating `good` and a citation, as lines of a file for `lectern eval`. Each
   * line occurs once.
   */
  async questions(scope: Scope): Promise<string> {
    const lines = new Set<string>();
    for (let skip = 0; ; skip += BATCH) {
      const given = await this.list(scope, { rating: 'good', endUserId: null, skip, limit: BATCH });
      for (const one of given) {
        const line = questionLine(one);
        if (line !== null) lines.add(line);
      }
      if (given.length < BATCH) return [...lines].map((line) => `${line}\n`).join('');
    }
  }
}
