import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../http/input/fields.js';
import { GroupsField } from '../../retrieval/selection-fields.dto.js';
import { ANSWER_ID } from '../query.dto.js';
import type { LastingAnswer } from './lasting-answers.js';

const EXAMPLE = '0199f1c2-a4d8-7e0b-9c3d-5e6f7a8b9c0d';

export class AnswerPath {
  @TextField({
    description: 'The `answer_id` of the question.',
    example: EXAMPLE,
    required: true,
    ...ANSWER_ID,
  })
  answer_id: string;
}

/** Selects the answers of one who asks. */
export class AskerQuery {
  @TextField({ description: 'End user of the question, if the key has none.', nullable: true })
  end_user_id: string | null = null;

  @GroupsField({ inText: true })
  groups?: string[];
}

export class RunningAnswersQuery extends AskerQuery {
  @TextField({ description: 'Only the answers to questions of this chat.', nullable: true })
  chat_id: string | null = null;
}

export class AnswerEventsQuery extends AskerQuery {
  @TextField({
    description: 'Where to go on, if the client cannot send the header `Last-Event-ID`, which counts first.',
    nullable: true,
  })
  last_event_id: string | null = null;
}

export class RunningAnswerDto {
  @ApiProperty({ description: 'The `answer_id` of the question.', example: EXAMPLE })
  answer_id: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Chat that gets the answer.',
    example: 'support-1234',
  })
  chat_id: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The question; null for an image.',
    example: 'How long does the warranty last?',
  })
  query: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'As in the question: index of the message that it replaces.',
    example: null,
  })
  replace_from: number | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When the question arrived.',
    example: '2026-05-01T09:30:00.000Z',
  })
  begun_at: string;
}

export function toRunningAnswerDto({ id, about, begunAt }: LastingAnswer): RunningAnswerDto {
  return {
    answer_id: id,
    chat_id: about.chatId,
    query: about.question,
    replace_from: about.replaceFrom,
    begun_at: begunAt.toISOString(),
  };
}
