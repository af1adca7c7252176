import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { titleOf } from './chat-title.js';
import type { ChatIdentity, ChatSummary, ChatTurn, Exchange } from './chat.types.js';

interface TurnRow {
  readonly role: ChatTurn['role'];
  readonly content: string;
  readonly created_at: Date;
}

interface ChatRow {
  readonly chat_key: string;
  readonly chat_id: string;
  readonly end_user_id: string | null;
  readonly title: string;
  readonly turn_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Every statement over chats and their turns. */
@Injectable()
export class ChatRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Appends both turns of an exchange, or neither: one statement. Exchanges of one chat wait for each other at its row,
   * so that each gets its own two positions.
   */
  async append(scope: Scope, { chatId, endUserId }: ChatIdentity, exchange: Exchange): Promise<void> {
    const question = storable(exchange.question);
    await run(
      this.dataSource,
      sql`with chat as (
            insert into chats (app_id, chat_id, end_user_id, title, turn_count)
            values (${scope.appId}, ${chatId}, ${endUserId}, ${titleOf(question)}, 2)
            on conflict (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')))
            do update set turn_count = chats.turn_count + 2, updated_at = clock_timestamp()
            returning chat_key, turn_count
          )
          insert into chat_turns (app_id, chat_key, position, role, content)
          select ${scope.appId}, chat_key, turn_count - 2 + place, role, content
          from chat, (values (0, 'user', ${question}), (1, 'assistant', ${storable(exchange.answer)}))
            as turn(place, role, content)`,
    );
  }

  /** The last turns of a chat, oldest first; none for a chat that does not exist. */
  async lastTurns(scope: Scope, { chatId, endUserId }: ChatIdentity, limit: number): Promise<ChatTurn[]> {
    const rows = await run<TurnRow>(
      this.dataSource,
      sql`select t.role, t.content, t.created_at
          from chats c join chat_turns t on t.app_id = c.app_id and t.chat_key = c.chat_key
          where c.app_id = ${scope.appId} and c.chat_id = ${chatId}
            and c.end_user_id is not distinct from ${endUserId}::text
          order by t.position desc limit ${limit}`,
    );
    return rows.reverse().map(turnOf);
  }

  /** Chats of the tenant, or of one of its end users, newest first. */
  async list(scope: Scope, endUserId: string | null, limit: number): Promise<ChatSummary[]> {
    const rows = await run<ChatRow & { role: ChatTurn['role']; content: string; said_at: Date }>(
      this.dataSource,
      sql`select c.*, t.role, t.content, t.created_at as said_at
          from chats c join chat_turns t
            on t.app_id = c.app_id and t.chat_key = c.chat_key and t.position = c.turn_count - 1
          where c.app_id = ${scope.appId}${ofEndUser(endUserId)}
          order by c.updated_at desc, c.chat_key limit ${limit}`,
    );
    return rows.map(({ role, content, said_at, ...chat }) => ({
      chatId: chat.chat_id,
      endUserId: chat.end_user_id,
      title: chat.title,
      turnCount: chat.turn_count,
      createdAt: chat.created_at,
      updatedAt: chat.updated_at,
      lastTurn: { role, content, createdAt: said_at },
    }));
  }

  /** Keys of the chats of that id, one for each end user that has one. */
  async find(
    scope: Scope,
    chatId: string,
    endUserId: string | null,
  ): Promise<readonly { readonly key: string; readonly endUserId: string | null }[]> {
    const rows = await run<ChatRow>(
      this.dataSource,
      sql`select c.chat_key, c.end_user_id from chats c
          where c.app_id = ${scope.appId} and c.chat_id = ${chatId}${ofEndUser(endUserId)}
          order by c.end_user_id nulls first limit 3`,
    );
    return rows.map((row) => ({ key: row.chat_key, endUserId: row.end_user_id }));
  }

  async turns(scope: Scope, key: string): Promise<ChatTurn[]> {
    const rows = await run<TurnRow>(
      this.dataSource,
      sql`select role, content, created_at from chat_turns
          where app_id = ${scope.appId} and chat_key = ${key} order by position`,
    );
    return rows.map(turnOf);
  }

  async rename(scope: Scope, key: string, title: string): Promise<void> {
    await run(
      this.dataSource,
      sql`update chats set title = ${title}
          where app_id = ${scope.appId} and chat_key = ${key}`,
    );
  }

  async delete(scope: Scope, key: string): Promise<void> {
    await run(this.dataSource, sql`delete from chats where app_id = ${scope.appId} and chat_key = ${key}`);
  }
}

function ofEndUser(endUserId: string | null): Sql {
  return endUserId === null ? empty : sql` and c.end_user_id = ${endUserId}`;
}

function turnOf({ role, content, created_at }: TurnRow): ChatTurn {
  return { role, content, createdAt: created_at };
}

/** PostgreSQL does not store U+0000, which a model may well write. */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}
