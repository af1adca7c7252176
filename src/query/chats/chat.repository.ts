import sql from 'sql-template-tag';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { ChatEntity, ChatTurnEntity } from './chat.entity.js';

/** Which chat is meant. `endUserId` null is the chat without an end user. */
export interface ChatIdentity {
  readonly chatId: string;
  readonly endUserId: string | null;
}

export type ChatTurn = Pick<ChatTurnEntity, 'role' | 'content' | 'createdAt'>;

export type ChatSummary = Omit<ChatEntity, 'appId' | 'chatKey'>;

/** A question and its answer, stored together or not at all. */
interface Exchange {
  readonly question: string;
  readonly answer: string;
}

@Injectable()
export class ChatRepository {
  constructor(
    @InjectRepository(ChatEntity) private readonly chats: Repository<ChatEntity>,
    @InjectRepository(ChatTurnEntity) private readonly chatTurns: Repository<ChatTurnEntity>,
  ) {}

  /**
   * Appends both turns of an exchange, or neither: one statement. Exchanges of one chat wait for each other at its row,
   * so that each gets its own two positions.
   */
  async append(scope: Scope, { chatId, endUserId }: ChatIdentity, exchange: Exchange): Promise<void> {
    const question = storable(exchange.question);
    await run(
      this.chats.manager,
      sql`with chat as (
            insert into chats (app_id, chat_id, end_user_id, title, turn_count, updated_at)
            values (${scope.appId}, ${chatId}, ${endUserId}, ${titleOf(question)}, 2, clock_timestamp())
            on conflict (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')))
            do update set turn_count = chats.turn_count + 2, updated_at = excluded.updated_at
            returning chat_key, turn_count
          )
          insert into chat_turns (app_id, chat_key, position, role, content)
          select ${scope.appId}, chat_key, turn_count - 2 + place, role, content
          from chat, (values (0, 'user', ${question}), (1, 'assistant', ${storable(exchange.answer)}))
            as turn(place, role, content)`,
    );
  }

  /** The last turns of a chat, oldest first; none for a chat that does not exist. */
  async lastTurns({ appId }: Scope, { chatId, endUserId }: ChatIdentity, limit: number): Promise<ChatTurn[]> {
    const turns = await this.chatTurns
      .createQueryBuilder('turn')
      .innerJoin(ChatEntity, 'chat', 'chat.appId = turn.appId and chat.chatKey = turn.chatKey')
      .where('chat.appId = :appId and chat.chatId = :chatId', { appId, chatId })
      .andWhere('chat.endUserId is not distinct from :endUserId', { endUserId })
      .orderBy('turn.position', 'DESC')
      .limit(limit)
      .getMany();
    return turns.reverse();
  }

  /** Chats of the tenant, or of one of its end users, newest first. */
  async list(scope: Scope, endUserId: string | null, limit: number): Promise<ChatSummary[]> {
    return this.chats
      .createQueryBuilder('chat')
      .innerJoinAndMapOne(
        'chat.lastTurn',
        ChatTurnEntity,
        'turn',
        'turn.appId = chat.appId and turn.chatKey = chat.chatKey and turn.position = chat.turnCount - 1',
      )
      .where({ appId: scope.appId, ...ofEndUser(endUserId) })
      .orderBy('chat.updatedAt', 'DESC')
      .addOrderBy('chat.chatKey')
      .limit(limit)
      .getMany();
  }

  /** The chats of that id, one for each end user that has one; that without an end user first. */
  async find(scope: Scope, chatId: string, endUserId: string | null): Promise<ChatEntity[]> {
    return this.chats.find({
      where: { appId: scope.appId, chatId, ...ofEndUser(endUserId) },
      order: { endUserId: { direction: 'ASC', nulls: 'FIRST' } },
      take: 3,
    });
  }

  async turns({ appId }: Scope, chatKey: string): Promise<ChatTurn[]> {
    return this.chatTurns.find({ where: { appId, chatKey }, order: { position: 'ASC' } });
  }

  async rename({ appId }: Scope, chatKey: string, title: string): Promise<void> {
    await this.chats.update({ appId, chatKey }, { title });
  }

  async delete({ appId }: Scope, chatKey: string): Promise<void> {
    await this.chats.delete({ appId, chatKey });
  }
}

function ofEndUser(endUserId: string | null): { readonly endUserId?: string } {
  return endUserId === null ? {} : { endUserId };
}

/** PostgreSQL does not store U+0000, which a model may well write. */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}

const MAX_LENGTH = 80;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Title of a new chat: its first question on one line, cut after 80 characters. It stays; only renaming changes it. */
export function titleOf(question: string): string {
  const line = question
    .slice(0, MAX_LENGTH * 20)
    .replace(/\s+/g, ' ')
    .trim();
  const shown = Array.from(characters.segment(line), ({ segment }) => segment);
  return shown.length <= MAX_LENGTH
    ? line
    : `${shown
        .slice(0, MAX_LENGTH - 1)
        .join('')
        .trimEnd()}…`;
}
