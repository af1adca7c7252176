import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { AnsweredTurnDto, ChatLinkDto, toChatTurnDto } from '../chat.dto.js';
import { CompletionSourceDto } from '../evidence.dto.js';
import { MAX_KEPT_SOURCES } from '../evidence.js';
import type { LinkedChat, LinkedTurn } from './chat-link.repository.js';
import type { ReadableTurn } from './readable-answers.js';

const YEAR = 366 * 86_400;

@Examples({ 'A link for a week': { expires_in: 604_800 } })
export class ShareChatDto {
  @IntegerField({
    nullable: true,
    positive: true,
    max: YEAR,
    description: 'Seconds until the link expires, at most a year. null: it works until it is ended.',
    example: 604_800,
  })
  expires_in: number | null = null;
}

export class SharedChatLinkDto extends ChatLinkDto {
  @ApiProperty({
    description: 'Opens the chat in the playground. The id is in the fragment, which no server logs.',
    example: 'https://lectern.example/#/shared/kLmN2pQ4rS6tU8vW0xY1zA3bC5dE7fG9',
  })
  url: string;
}

export class HiddenDocumentDto {
  @ApiProperty({ description: 'Id of the document.', example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a' })
  document_id: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'File name of the document at the time of the answer.',
    example: 'plan.pdf',
  })
  filename: string | null;
}

export class ChatSharingDto {
  @ApiProperty({
    type: ChatLinkDto,
    nullable: true,
    description: 'The link by which others read the chat. null: it has none.',
  })
  link: ChatLinkDto | null;

  @ApiProperty({ type: 'integer', description: 'Answers of the chat.', example: 4 })
  answer_count: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Answers that are withheld from a reader whom no access list names: not everyone in the tenant may read all of their sources, a source has another text since, or so it is with an answer that the model read before.',
    example: 1,
  })
  withheld_count: number;

  @ApiProperty({
    type: [HiddenDocumentDto],
    description: 'Sources of the chat that the key may read, and not everyone in the tenant.',
  })
  hidden_documents: readonly HiddenDocumentDto[];
}

export class SharedChatPath {
  @TextField({
    required: true,
    notEmpty: true,
    maxLength: 256,
    description: 'Id of the link.',
    example: 'kLmN2pQ4rS6tU8vW0xY1zA3bC5dE7fG9',
  })
  link_id: string;
}

export class SharedMessageDto extends AnsweredTurnDto {
  @ApiPropertyOptional({
    type: [CompletionSourceDto],
    description: `Of an answer: the first ${MAX_KEPT_SOURCES} chunks in the prompt; of a withheld answer those which the key may read. Absent for questions.`,
  })
  sources?: readonly CompletionSourceDto[];

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'true: text and citations of the answer are withheld, because the key may not read all of its sources, a source has another text since, or so it is with an answer that the model read before. Otherwise absent.',
  })
  withheld?: true;
}

export class SharedChatDto {
  @ApiProperty({ description: 'Title.', example: 'Warranty' })
  title: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Person who shares the chat; null: a key without a person.',
    example: 'ann',
  })
  end_user_id: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'Time of the first message.',
    example: '2026-05-01T09:30:00.000Z',
  })
  created_at: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time of the last message.',
    example: '2026-05-01T09:31:00.000Z',
  })
  updated_at: string;

  @ApiProperty({ type: [SharedMessageDto], description: 'Messages, oldest first.' })
  messages: readonly SharedMessageDto[];
}

export function toSharedChatDto(
  { title, endUserId, createdAt, updatedAt }: LinkedChat,
  turns: readonly ReadableTurn<LinkedTurn>[],
): SharedChatDto {
  return {
    title: title ?? '',
    end_user_id: endUserId,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    messages: turns.map(toSharedMessageDto),
  };
}

function toSharedMessageDto(turn: ReadableTurn<LinkedTurn>): SharedMessageDto {
  const { evidence, stopped, isWithheld } = turn;
  const { role, content, timestamp } = toChatTurnDto(turn);
  const { citations, sources, model, answered, model_failure: failure } = evidence ?? {};
  return {
    role,
    content,
    timestamp,
    ...(citations === undefined ? {} : { citations }),
    ...(sources === undefined ? {} : { sources }),
    ...(model === undefined ? {} : { model }),
    ...(answered === undefined ? {} : { answered }),
    ...(failure === undefined ? {} : { model_failure: failure }),
    ...(stopped ? { stopped } : {}),
    ...(isWithheld ? { withheld: true as const } : {}),
  };
}
