import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Settings } from '../config/settings.js';
import { violation } from '../errors/index.js';
import { Examples } from '../http/input/examples.js';
import { FlagField, IntegerField, TextField } from '../http/input/fields.js';
import { readInput } from '../http/input/input.pipe.js';
import { ANSWERED, CITATIONS, CompletionSourceDto, MODEL_FAILURE } from './evidence.dto.js';
import { type Citation, MAX_KEPT_SOURCES } from './evidence.js';
import { RatingDto } from './feedback/rating.dto.js';
import type { ChatSelection, ChatSummary, WorkingLink } from './chat-list.repository.js';
import { wordsOf } from './chat-words.js';
import type { ChatChange, ChatTurn, FullTurn, ReplacedTurn, ShownTurn } from './chat.repository.js';

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

  @TextField({ description: 'Restricts the list to chats with this id.', nullable: true })
  chat_id: string | null = null;

  @TextField({
    description:
      'Words that the title or a message contains, all of them, in any case. Searches the latest 1,000 chats.',
    nullable: true,
    maxLength: 256,
  })
  q: string | null = null;

  @TextField({ description: 'Restricts the list to chats in this folder of chats.', nullable: true })
  chat_folder: string | null = null;

  @FlagField(OWN)
  own: boolean | null = null;
}

export function selectionIn(query: ChatListQuery): ChatSelection {
  return {
    endUserId: query.end_user_id,
    own: query.own,
    chatId: query.chat_id,
    folder: query.chat_folder,
    words: wordsOf(query.q ?? ''),
    limit: query.limit,
  };
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

@Examples({ Pin: { pinned: true }, 'Into a folder': { chat_folder: 'Winter' } })
export class ChatChangeDto {
  @TextField({ description: 'New title.', example: 'Boats', notBlank: true, maxLength: 256 })
  title?: string;

  @FlagField({ description: 'Whether lists begin with the chat.', example: true })
  pinned?: boolean;

  @TextField({
    description: 'Name of the folder of chats in which the chat is listed. null: none.',
    example: 'Winter',
    nullable: true,
    notBlank: true,
    maxLength: 256,
  })
  chat_folder?: string | null;
}

export function changeIn({ title, pinned, chat_folder: folder }: ChatChangeDto): ChatChange {
  return {
    ...(title === undefined ? {} : { title }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(folder === undefined ? {} : { folder }),
  };
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

/** A message with what is known of an answer. */
export class AnsweredTurnDto extends ChatTurnDto {
  @ApiPropertyOptional(CITATIONS)
  citations?: readonly Citation[];

  @ApiPropertyOptional({
    description: 'Of an answer: the model; `extractive` for quotations without a model.',
    example: 'gpt-4o-mini',
  })
  model?: string;

  @ApiPropertyOptional(ANSWERED)
  answered?: boolean;

  @ApiPropertyOptional(MODEL_FAILURE)
  model_failure?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'true: the caller stopped the answer before its end. Otherwise absent.',
  })
  stopped?: boolean;
}

export class ChatMessageDto extends AnsweredTurnDto {
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

export class ChatLinkDto {
  @ApiProperty({ description: 'Id of the link.', example: 'kLmN2pQ4rS6tU8vW0xY1zA3bC5dE7fG9' })
  link_id: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the link expires; null: it works until it is ended.',
    example: '2026-05-08T09:30:00.000Z',
  })
  expires_at: string | null;
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

  @ApiProperty({ description: 'Whether lists begin with the chat.', example: false })
  pinned: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Folder of chats in which it is listed.',
    example: null,
  })
  chat_folder: string | null;

  @ApiProperty({
    type: 'integer',
    description:
      'Number of exchanges that were ever stored. With `chat_revision` a question is refused if the chat has changed since.',
    example: 1,
  })
  revision: number;

  @ApiPropertyOptional({
    description: 'With `q`: the part of a message that contains the words. Absent: only the title does.',
    example: 'The last boat leaves at noon.',
  })
  match?: string;
  @ApiProperty({
    type: ChatLinkDto,
    nullable: true,
    description: 'The link by which others read the chat, if the key continues it. null: it has none.',
  })
  link: ChatLinkDto | null;
}

export function toChatTurnDto({ role, content, createdAt }: ChatTurn): ChatTurnDto {
  return { role, content, timestamp: createdAt.toISOString() };
}

export function toChatMessageDto(turn: FullTurn & Partial<ShownTurn>): ChatMessageDto {
  const { role, content, timestamp } = toChatTurnDto(turn);
  const { evidence, stopped, rating, earlierVersions = 0 } = turn;
  const { quotations: _, source_fingerprints: __, ...shown } = evidence ?? {};
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
    pinned: chat.pinned,
    chat_folder: chat.folder,
    revision: chat.revision,
    ...(chat.match === null ? {} : { match: chat.match }),
    link: chat.link === null ? null : toChatLinkDto(chat.link),
  };
}

export function toChatLinkDto({ linkId, expiresAt }: WorkingLink): ChatLinkDto {
  return { link_id: linkId, expires_at: expiresAt?.toISOString() ?? null };
}
