import sql from 'sql-template-tag';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, type Repository, type SelectQueryBuilder } from 'typeorm';
import { endUserOf } from '../access/principal.js';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { Conflict } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import { storableText } from '../json/text.js';
import type { Rating } from './feedback/feedback.entity.js';
import { ChatEntity, ChatTurnEntity, type TurnEvidence } from './chat.entity.js';

/** Identifies a chat. The scope determines the owner of the chat (see {@link ownerOf}). */
export interface ChatIdentity {
  readonly chatId: string;
  /** null: the request names no end user. */
  readonly endUserId: string | null;
}

type ChatOwner = Pick<ChatEntity, 'endUserId' | 'keyId'>;

/**
 * Returns the owner of the chats that a request begins or continues: the end user of the key or of the request. Without
 * an end user, the owner is the key, or the administrators if the key is an administrator's.
 */
function ownerOf(scope: Scope, named: string | null): ChatOwner {
  const endUserId = endUserOf(scope, named);
  const isShared = endUserId !== null || scope.permissions.has('admin');
  return { endUserId, keyId: isShared ? null : scope.keyId };
}

/** Selects some of the chats that the key of a request may read. */
export interface ChatChoice {
  /** null: the request names no end user. */
  readonly endUserId: string | null;
  /** true: only chats that a question with this key would continue; false: only other chats; null or absent: both. */
  readonly own?: boolean | null;
}

export type ChatTurn = Pick<ChatTurnEntity, 'role' | 'content' | 'createdAt'>;

/** A turn with its evidence and its rating. */
export type FullTurn = ChatTurn &
  Pick<ChatTurnEntity, 'evidence' | 'stopped'> & { readonly rating: Rating | null };

export type ChatSummary = Omit<ChatEntity, 'appId' | 'chatKey'>;

/** A question and its answer, stored together. */
interface Exchange {
  readonly question: string;
  readonly answer: string;
  readonly evidence?: TurnEvidence;
  /** Whether the caller stopped the answer before its end. */
  readonly stopped?: boolean;
  /** Search options of the question, as in its request. */
  readonly search?: object;
  /** Position of the first turn to replace, together with all later turns; null: the exchange is appended. */
  readonly replaceFrom?: number | null;
}

@Injectable()
export class ChatRepository {
  constructor(
    @InjectRepository(ChatEntity) private readonly chats: Repository<ChatEntity>,
    @InjectRepository(ChatTurnEntity) private readonly chatTurns: Repository<ChatTurnEntity>,
  ) {}

  /**
   * Appends an exchange to a chat, or replaces a turn and all later turns by the exchange. Concurrent calls for one
   * chat wait for the lock on the row of the chat, so that each exchange gets its own positions.
   *
   * @returns the position of the answer
   * @throws Conflict if the chat has no turn at the position to replace.
   */
  async append(scope: Scope, chat: ChatIdentity, exchange: Exchange): Promise<number> {
    const { replaceFrom = null } = exchange;
    const { manager } = this.chats;
    if (replaceFrom === null) return this.appendIn(manager, scope, chat, exchange);
    return manager.transaction(async (transaction) => {
      await this.dropFrom(transaction, scope, chat, replaceFrom, exchange.question);
      return this.appendIn(transaction, scope, chat, exchange);
    });
  }

  /** Appends both turns of an exchange in one statement. */
  private async appendIn(
    database: Queryable,
    scope: Scope,
    { chatId, endUserId }: ChatIdentity,
    exchange: Exchange,
  ): Promise<number> {
    const question = storableText(exchange.question);
    const evidence = exchange.evidence === undefined ? null : storableJson(exchange.evidence);
    const search = printJson(exchange.search ?? {});
    const owner = ownerOf(scope, endUserId);
    const turns = await run<{ position: number }>(
      database,
      sql`with chat as (
            insert into chats (app_id, chat_id, end_user_id, key_id, title, turn_count, search, updated_at)
            values (${scope.appId}, ${chatId}, ${owner.endUserId}, ${owner.keyId}, ${titleOf(question)}, 2,
              ${search}::jsonb, clock_timestamp())
            on conflict (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')), (coalesce(key_id, '')))
            do update set turn_count = chats.turn_count + 2, search = excluded.search, updated_at = excluded.updated_at
            returning chat_key, turn_count
          )
          insert into chat_turns (app_id, chat_key, position, role, content, evidence, stopped)
          select ${scope.appId}, chat_key, turn_count - 2 + place, role, content, evidence, stopped
          from chat, (values (0, 'user', ${question}, null, false), (1, 'assistant', ${storableText(exchange.answer)},
            ${evidence}::jsonb, ${exchange.stopped ?? false})) as turn(place, role, content, evidence, stopped)
          returning position`,
    );
    return Math.max(...turns.map(({ position }) => position));
  }

  /**
   * Removes a turn and all later turns. If the first question is replaced, and the title was made from this question, a
   * new title is made from the new question.
   */
  private async dropFrom(
    database: Queryable,
    scope: Scope,
    { chatId, endUserId }: ChatIdentity,
    position: number,
    question: string,
  ): Promise<void> {
    const owner = ownerOf(scope, endUserId);
    const [chat] = await run<{ chatKey: string; title: string; first: string }>(
      database,
      sql`select c.chat_key as "chatKey", c.title, t.content as first
          from chats c join chat_turns t on t.app_id = c.app_id and t.chat_key = c.chat_key and t.position = 0
          where c.app_id = ${scope.appId} and c.chat_id = ${chatId}
            and c.end_user_id is not distinct from ${owner.endUserId} and c.key_id is not distinct from ${owner.keyId}
            and c.turn_count > ${position}
          for update of c`,
    );
    if (chat === undefined) throw nothingToReplace(position);
    const { chatKey } = chat;
    const title = position === 0 && chat.title === titleOf(chat.first) ? titleOf(question) : chat.title;
    await run(
      database,
      sql`update chats set turn_count = ${position}, title = ${storableText(title)}
          where app_id = ${scope.appId} and chat_key = ${chatKey}::uuid`,
    );
    await run(
      database,
      sql`delete from chat_turns
          where app_id = ${scope.appId} and chat_key = ${chatKey}::uuid and position >= ${position}`,
    );
  }

  /**
   * Returns the last turns of a chat, oldest first; an empty list for an unknown chat.
   *
   * @param before only turns before this position; null: all turns
   */
  async lastTurns(
    scope: Scope,
    { chatId, endUserId }: ChatIdentity,
    limit: number,
    before: number | null = null,
  ): Promise<ChatTurn[]> {
    const owner = ownerOf(scope, endUserId);
    const turns = await this.chatTurns
      .createQueryBuilder('turn')
      .innerJoin(ChatEntity, 'chat', 'chat.appId = turn.appId and chat.chatKey = turn.chatKey')
      .where('chat.appId = :appId and chat.chatId = :chatId', { appId: scope.appId, chatId })
      .andWhere('chat.endUserId is not distinct from :endUserId', owner)
      .andWhere('chat.keyId is not distinct from :keyId', owner)
      .andWhere('(:before::integer is null or turn.position < :before)', { before })
      .orderBy('turn.position', 'DESC')
      .limit(limit)
      .getMany();
    return turns.reverse();
  }

  /** @throws Conflict if the chat has no turn at the position to replace. */
  async requireTurn(scope: Scope, { chatId, endUserId }: ChatIdentity, position: number): Promise<void> {
    const { endUserId: owner, keyId } = ownerOf(scope, endUserId);
    const isThere = await this.chats.existsBy({
      appId: scope.appId,
      chatId,
      endUserId: owner ?? IsNull(),
      keyId: keyId ?? IsNull(),
      turnCount: MoreThan(position),
    });
    if (!isThere) throw nothingToReplace(position);
  }

  /** Lists the selected chats, most recently updated first. */
  async list(scope: Scope, choice: ChatChoice, limit: number): Promise<ChatSummary[]> {
    return this.chosen(scope, choice)
      .innerJoinAndMapOne(
        'chat.lastTurn',
        ChatTurnEntity,
        'turn',
        'turn.appId = chat.appId and turn.chatKey = chat.chatKey and turn.position = chat.turnCount - 1',
      )
      .orderBy('chat.updatedAt', 'DESC')
      .addOrderBy('chat.chatKey')
      .limit(limit)
      .getMany();
  }

  /** Returns at most two of the selected chats with an id. A chat of the administrators comes first. */
  async find(scope: Scope, chatId: string, choice: ChatChoice): Promise<ChatEntity[]> {
    return this.chosen(scope, choice)
      .andWhere({ chatId })
      .orderBy('chat.endUserId', 'ASC', 'NULLS FIRST')
      .addOrderBy('chat.keyId', 'ASC', 'NULLS FIRST')
      .limit(2)
      .getMany();
  }

  /**
   * Selects chats. A request can read the chats that it would continue. A request of an administrator without an end
   * user can read all chats.
   */
  private chosen(scope: Scope, { endUserId: named, own = null }: ChatChoice): SelectQueryBuilder<ChatEntity> {
    const { endUserId, keyId } = ownerOf(scope, named);
    const readsAll = endUserId === null && keyId === null;
    const chosen = this.chats.createQueryBuilder('chat').where({ appId: scope.appId });
    if (own === false) {
      return chosen.andWhere(readsAll ? '(chat.endUserId is not null or chat.keyId is not null)' : 'false');
    }
    if (readsAll && own === null) return chosen;
    return chosen.andWhere({ endUserId: endUserId ?? IsNull(), keyId: keyId ?? IsNull() });
  }

  async turns({ appId }: Scope, chatKey: string): Promise<FullTurn[]> {
    return run(
      this.chats.manager,
      sql`select t.role, t.content, t.created_at as "createdAt", t.evidence, t.stopped,
            case when f.rating is null then null
              else jsonb_build_object('rating', f.rating, 'comment', f.comment) end as rating
          from chat_turns t
          left join answer_feedback f on f.app_id = t.app_id and f.chat_key = t.chat_key and f.position = t.position
            and f.answered_at = t.created_at
          where t.app_id = ${appId} and t.chat_key = ${chatKey}::uuid
          order by t.position`,
    );
  }

  async rename({ appId }: Scope, chatKey: string, title: string): Promise<void> {
    await this.chats.update({ appId, chatKey }, { title });
  }

  async delete({ appId }: Scope, chatKey: string): Promise<void> {
    await this.chats.delete({ appId, chatKey });
  }
}

function nothingToReplace(position: number): Conflict {
  return new Conflict(`The chat has no message ${position} to replace`);
}

function storableJson(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  );
}

const MAX_LENGTH = 80;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Makes the title of a chat from its first question: on one line, truncated to 80 characters. */
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
