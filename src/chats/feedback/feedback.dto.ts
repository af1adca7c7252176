import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntegerField, TextField } from '../../http/input/fields.js';
import { ChatPath } from '../chat.dto.js';
import { CITATIONS, CompletionSourceDto } from '../evidence.dto.js';
import type { Citation } from '../evidence.js';
import type { GivenFeedback } from './feedback.repository.js';
import { RATINGS, type Rating } from './feedback.entity.js';

export class AnswerPath extends ChatPath {
  @IntegerField({
    inText: true,
    required: true,
    min: 0,
    description: 'Index of the answer among the messages of the chat, from 0.',
    example: 1,
  })
  message_index: number;
}

export class FeedbackQuery {
  @ChoiceField({ values: RATINGS, nullable: true, description: 'Only feedback with this rating.' })
  rating: Rating['rating'] | null = null;

  @IntegerField({ inText: true, min: 1, max: 1_000, description: 'Maximum number of entries. Default: 100.' })
  limit = 100;

  @IntegerField({ inText: true, min: 0, description: 'Number of entries to skip. Default: 0.' })
  skip = 0;

  @TextField({ description: 'Only feedback on chats of this end user.', nullable: true })
  end_user_id: string | null = null;
}

export class FeedbackDto {
  @ApiProperty({ description: 'Chat of the answer.', example: 'support-1234' })
  chat_id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'End user of the chat.', example: null })
  end_user_id: string | null;

  @ApiProperty({ enum: RATINGS, description: 'Whether the answer helped.', example: 'bad' })
  rating: Rating['rating'];

  @ApiProperty({ type: 'string', nullable: true, description: 'Comment on the answer.', example: null })
  comment: string | null;

  @ApiProperty({ description: 'The question.', example: 'How long does the warranty last?' })
  question: string;

  @ApiProperty({ description: 'The answer.', example: 'The warranty lasts two years.' })
  answer: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Search options of the chat: folder, filter, number of passages.',
    example: {},
  })
  search: object;

  @ApiProperty(CITATIONS)
  citations: readonly Citation[];

  @ApiProperty({ type: [CompletionSourceDto], description: 'The first chunks in the prompt.' })
  sources: readonly CompletionSourceDto[];

  @ApiProperty({ format: 'date-time', description: 'When.', example: '2026-05-01T09:30:00.000Z' })
  rated_at: string;
}

export function toFeedbackDto(given: GivenFeedback): FeedbackDto {
  const { chatId, endUserId, rating, comment, question, answer, search, evidence, ratedAt } = given;
  return {
    chat_id: chatId,
    end_user_id: endUserId,
    rating,
    comment,
    question,
    answer,
    search,
    citations: evidence?.citations ?? [],
    sources: evidence?.sources ?? [],
    rated_at: ratedAt.toISOString(),
  };
}
