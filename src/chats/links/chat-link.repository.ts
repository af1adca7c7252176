import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import sql, { raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Owner } from '../../access/principal.js';
import { isTalkOf, TALK_END_USER, talkOwner } from '../../access/talk.js';
import type { Scope } from '../../auth/scope.js';
import { run, type Queryable } from '../../database/run.js';
import type { ConversationEntity, TurnEntity } from '../conversation.entity.js';
import type { ChatLinkEntity } from './chat-link.entity.js';

const ID_BYTES = 24;

export type ChatLink = Pick<ChatLinkEntity, 'linkId' | 'createdAt' | 'expiresAt'>;

/** A chat as its link shows it, without its turns. */
export type LinkedChat = Pick<ConversationEntity, 'conversationId' | 'title' | 'createdAt' | 'updatedAt'> & {
  readonly endUserId: string | null;
  readonly owner: Owner;
};

export type LinkedTurn = Pick<TurnEntity, 'content' | 'createdAt' | 'evidence' | 'stopped'> & {
  readonly role: 'user' | 'assistant';
};

const LINK = raw('link_id as "linkId", created_at as "createdAt", expires_at as "expiresAt"');

/** Condition on a row `l` of `chat_links`: the link has not expired. */
export const LINK_WORKS = raw('(l.expires_at is null or l.expires_at > statement_timestamp())');

@Injectable()
export class ChatLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Makes a new link to a chat of the caller. The link before it ends.
   * @param seconds its lifetime; null: until it is ended
   * @returns null if the caller has no chat with this id
   */
  async make(scope: Scope, chatId: string, seconds: number | null): Promise<ChatLink | null> {
    const linkId = randomBytes(ID_BYTES).toString('base64url');
    const [link = null] = await run<ChatLink>(
      this.dataSource,
      sql`insert into chat_links (app_id, conversation_id, link_id, created_at, expires_at)
          select ${scope.appId}, c.conversation_id, ${linkId}, statement_timestamp(),
            statement_timestamp() + make_interval(secs => ${seconds}::float8)
          from conversations c where ${isOwnChat(scope, chatId)}
          on conflict (app_id, conversation_id) do update set link_id = excluded.link_id,
            created_at = excluded.created_at, expires_at = excluded.expires_at
          returning ${LINK}`,
    );
    return link;
  }

  /** @returns whether the caller has a chat with this id */
  async end(scope: Scope, chatId: string): Promise<boolean> {
    const id = await this.conversationOf(scope, chatId);
    if (id === null) return false;
    await run(
      this.dataSource,
      sql`delete from chat_links l where l.app_id = ${scope.appId} and l.conversation_id = ${id}::uuid`,
    );
    return true;
  }

  /** @returns the id of the caller's conversation with this chat id; null if there is none */
  async conversationOf(scope: Scope, chatId: string): Promise<string | null> {
    const [chat] = await run<{ id: string }>(
      this.dataSource,
      sql`select c.conversation_id as id from conversations c where ${isOwnChat(scope, chatId)}`,
    );
    return chat?.id ?? null;
  }

  /** @returns the working link to a conversation; null if it has none */
  async linkTo({ appId }: Scope, id: string): Promise<ChatLink | null> {
    const [link = null] = await run<ChatLink>(
      this.dataSource,
      sql`select ${LINK} from chat_links l
          where l.app_id = ${appId} and l.conversation_id = ${id}::uuid and ${LINK_WORKS}`,
    );
    return link;
  }

  /** Ends all links to chats of an owner. */
  async endOf(database: Queryable, { appId }: Pick<Scope, 'appId'>, owner: Owner): Promise<void> {
    await run(
      database,
      sql`delete from chat_links l where l.app_id = ${appId} and l.conversation_id in (
            select c.conversation_id from conversations c where c.app_id = ${appId} and ${isTalkOf(owner)})`,
    );
  }

  /** @returns null for an unknown, ended or expired link, and for a link of another tenant */
  async find({ appId }: Scope, linkId: string): Promise<LinkedChat | null> {
    const [chat = null] = await run<LinkedChat>(
      this.dataSource,
      sql`select c.conversation_id as "conversationId", c.title, ${TALK_END_USER} as "endUserId", c.owner,
            c.created_at as "createdAt", c.updated_at as "updatedAt"
          from chat_links l
          join conversations c on c.app_id = ${appId} and c.conversation_id = l.conversation_id
          where l.app_id = ${appId} and l.link_id = ${linkId} and ${LINK_WORKS}`,
    );
    return chat;
  }

  /** The shown turns of a chat, with everything that they quote. */
  turns({ appId }: Scope, id: string): Promise<LinkedTurn[]> {
    return run<LinkedTurn>(
      this.dataSource,
      sql`select t.role, t.content, t.created_at as "createdAt", t.evidence, t.stopped from turns t
          where t.app_id = ${appId} and t.conversation_id = ${id}::uuid and t.version = 0 order by t.position`,
    );
  }
}

/** Condition on a row `c` of `conversations`: it is the chat with this id that the caller would continue. */
function isOwnChat(scope: Scope, chatId: string): Sql {
  return sql`c.app_id = ${scope.appId} and c.kind = 'chat' and c.chat_id = ${chatId}
    and ${isTalkOf(talkOwner(scope, null))}`;
}
