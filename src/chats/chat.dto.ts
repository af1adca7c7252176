import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Settings } from '../config/settings.js';
import { violation } from '../errors/index.js';
import { Examples } from '../http/input/examples.js';
import { FlagField, IntegerField, TextField } from '../http/input/fields.js';
import { readInput } from '../http/input/input.pipe.js';
import { CITATIONS, CompletionSourceDto } from './evidence.dto.js';
import { type Citation, MAX_KEPT_SOURCES } from './evidence.js';
import { RatingDto } from './feedback/rating.dto.js';
import type { ChatSummary, ChatTurn, FullTurn, ReplacedTurn, ShownTurn } from './chat.repository.js';

export class ChatPath {
  @TextField({
    description: 'Chat id chosen by the client.',
    example: 'support-1234',
    required: true,
    notEmpty: true,
    maxLength: 256,
  })
  chat_id: string;
}

export class ChatOwnerQuery {
  @TextField({
    description:
      'End user of the chat. Absent: the end user of the key. For a key without an end user: the chat that this key began without an end user. For an administrator: the chat of the administrators, or else the only chat with this id.',
    nullable: true,
  })
  end_user_id: string | null = null;
}

const OWN = {
  inText: true,
  nullable: true,
  description:
    'true: only chats that a question with this key would continue. false: only the other chats that an administrator may read (of end users and applications). Absent: both.',
};

/** Selects a chat. Several chats may have the same id: a chat of the key, and chats of end users and applications. */
export class ChatChoiceQuery extends ChatOwnerQuery {
  @FlagField(OWN)
  own: boolean | null = null;
}

export class ChatListQuery {
  @IntegerField({
    inText: true,
    description: 'Maximum number of chats. Default: 100.',
    min: 1,
    max: 1_000,
  })
  limit = 100;

  @TextField({ description: 'Restricts the list to chats of this end user.', nullable: true })
  end_user_id: string | null = null;

  @FlagField(OWN)
  own: boolean | null = null;
}

const TITLE = {
  description: 'New title, in the query string or the body.',
  notBlank: true,
  maxLength: 256,
};

export class ChatTitleQuery extends ChatChoiceQuery {
  @TextField(TITLE)
  title?: string;
}

@Examples({ 'A title': { title: 'Boats' } })
export class ChatTitleDto {
  @TextField({ ...TITLE, example: 'Boats', required: true })
  title: string;
}

/**
 * Returns the new title from the query string, or else from the body.
 * @throws Invalid if it is missing in both, or invalid.
 */
export function titleOf({ title }: ChatTitleQuery, body: unknown, settings: Settings): string {
  if (title !== undefined) return title;
  if (body === undefined) throw violation(['query', 'title'], 'isDefined');
  return readInput(ChatTitleDto, body, ['body'], settings).title;
}

export class ChatTurnDto {
  @ApiProperty({
    type: 'string',
    enum: ['user', 'assistant'],
    description: 'Role of the author.',
    example: 'user',
  })
  role: ChatTurn['role'];

  @ApiProperty({ description: 'Text of the message.', example: 'How long does the warranty last?' })
  content: string;

  @ApiProperty({ format: 'date-time', description: 'When.', example: '2026-05-01T09:30:00.000Z' })
  timestamp: string;
}

export class ChatMessageDto extends ChatTurnDto {
  @ApiPropertyOptional(CITATIONS)
  citations?: readonly Citation[];

  @ApiPropertyOptional({
    type: [CompletionSourceDto],
    description: `Of an answer: the first ${MAX_KEPT_SOURCES} chunks in the prompt. Absent for questions.`,
  })
  sources?: readonly CompletionSourceDto[];

  @ApiPropertyOptional({
    description:
      'Of an answer: the searched text. For a follow-up question, it contains words of earlier questions.',
    example: 'And in summer? last boat leave Torvig pier winter',
  })
  searched?: string;

  @ApiPropertyOptional({
    description: 'Of an answer: the model; `extractive` for quotations without a model.',
    example: 'gpt-4o-mini',
  })
  model?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'true: the caller stopped the answer before its end. Otherwise absent.',
  })
  stopped?: boolean;

  @ApiPropertyOptional({ type: RatingDto, description: 'Feedback on the answer.' })
  feedback?: RatingDto;

  @ApiPropertyOptional({
    type: 'integer',
    description:
      'Number of earlier versions of this message, which retries and edits replaced; GET /chat/{chat_id}/versions lists them. Absent: none.',
  })
  earlier_versions?: number;
}

export class ChatVersionDto {
  @ApiProperty({ type: 'integer', description: 'Index of the first replaced message.', example: 2 })
  message_index: number;

  @ApiProperty({
    type: [ChatMessageDto],
    description: 'The replaced message and those that followed it until then.',
  })
  messages: readonly ChatMessageDto[];
}

export class ChatDto {
  @ApiProperty({ description: 'Chat id chosen by the client.', example: 'support-1234' })
  chat_id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'End user of the chat.', example: null })
  end_user_id: string | null;

  @ApiProperty({ description: 'Title: the first question unless renamed.', example: 'Warranty' })
  title: string;

  @ApiProperty({ type: 'integer', description: 'Number of messages.', example: 2 })
  message_count: number;

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

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Search options of the last question, as in its request: folder, filter, number of passages.',
    example: { folder_name: '/boats', folder_depth: -1 },
  })
  search: object;

  @ApiProperty({ type: ChatTurnDto, description: 'Latest message.' })
  last_message: ChatTurnDto;
}

export function toChatTurnDto({ role, content, createdAt }: ChatTurn): ChatTurnDto {
  return { role, content, timestamp: createdAt.toISOString() };
}

export function toChatMessageDto(turn: FullTurn & Partial<ShownTurn>): ChatMessageDto {
  const { role, content, timestamp } = toChatTurnDto(turn);
  const { evidence, stopped, rating, earlierVersions = 0 } = turn;
  const { quotations: _, ...shown } = evidence ?? {};
  return {
    role,
    content,
    timestamp,
    ...shown,
    ...(stopped ? { stopped } : {}),
    ...(rating === null ? {} : { feedback: rating }),
    ...(earlierVersions === 0 ? {} : { earlier_versions: earlierVersions }),
  };
}

export function toChatVersionDto(turns: readonly ReplacedTurn[]): ChatVersionDto {
  return {
    message_index: Math.min(...turns.map(({ position }) => position)),
    messages: turns.map(toChatMessageDto),
  };
}

export function toChatDto(chat: ChatSummary): ChatDto {
  return {
    chat_id: chat.chatId,
    end_user_id: chat.endUserId,
    title: chat.title,
    message_count: chat.turnCount,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
    search: chat.search,
    last_message: toChatTurnDto(chat.lastTurn),
  };
}
