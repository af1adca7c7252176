import { Injectable } from '@nestjs/common';
import sql, { raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import {
  isTalkOf,
  isWithinBound,
  reachesTalk,
  talkBound,
  type TalkChoice,
  talkerOf,
  talkOwner,
  talkReaders,
} from '../access/talk.js';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';
import { Conflict } from '../errors/index.js';
import { Quotas } from '../quotas/quotas.service.js';
import { printJson } from '../json/exact-json.js';
import { printStorable, storableText } from '../json/storable.js';
import { ConversationEntity, type TurnEntity } from './conversation.entity.js';
import type { Evidence } from './evidence.js';
import type { Rating } from './feedback/feedback.entity.js';
import { TalkRepository } from './talk.repository.js';
import { EVIDENCE_OF_TEXT } from './evidence-of-text.js';
import type { Quoting } from './withheld.js';

/** Identifies a chat. The scope determines the owner of the chat (see {@link talkOwner}). */
export interface ChatIdentity {
  readonly chatId: string;
  /** null: the request names no end user. */
  readonly endUserId: string | null;
}

/** A turn of a chat, without the quotes that its reader may not read. */
export interface ChatTurn extends Pick<TurnEntity, 'content' | 'createdAt'> {
  readonly role: 'user' | 'assistant';
}

export type FullTurn = ChatTurn &
  Pick<TurnEntity, 'conversationId' | 'evidence' | 'stopped'> & { readonly rating: Rating | null };

export type ShownTurn = FullTurn & {
  /** How often this turn was regenerated. */
  readonly earlierVersions: number;
};

/** A turn that a retry or an edit replaced. */
export type ReplacedTurn = FullTurn & Pick<TurnEntity, 'version' | 'position'>;

/** What a reader may change of a chat. Absent members stay. */
export type ChatChange = Partial<Pick<ConversationEntity, 'title' | 'pinned' | 'folder'>>;

/** What a client knows of a chat that it continues. */
export interface KnownState {
  /** Position of the first turn that the question replaces; null: it replaces none. */
  readonly replaceFrom: number | null;
  /** Revision that the client has seen, 0 for a chat that does not exist; null: any. */
  readonly revision: number | null;
}

/** Where an answer was stored, and the revision of its chat since. */
export interface StoredPlace {
  readonly position: number;
  readonly revision: number;
}

/** A chat that was found by the id that its client chose. */
export type FoundChat = Pick<ConversationEntity, 'conversationId' | 'owner'>;

interface Exchange {
  readonly question: string;
  readonly answer: string;
  readonly evidence?: Evidence;
  /** Whether the caller stopped the answer before its end. */
  readonly stopped?: boolean;
  /** Search options of the question, as in its request. */
  readonly search?: object;
  /**
   * Position of the exchange, which replaces the turns from there on; the number of turns: none. null: the exchange is
   * appended.
   */
  readonly replaceFrom?: number | null;
}

const FULL_TURN =
  raw(`t.conversation_id as "conversationId", t.role, t.content, t.created_at as "createdAt", t.evidence, t.stopped,
  case when f.rating is null then null
    else jsonb_build_object('rating', f.rating, 'comment', f.comment) end as rating`);

const RATED_TURNS = raw(`turns t
  left join answer_feedback f on f.app_id = t.app_id and f.conversation_id = t.conversation_id
    and f.position = t.position and f.answered_at = t.created_at`);

/** Maximum number of replacements whose turns a chat keeps; older ones are deleted. */
const MAX_VERSIONS = 20;

/** Position of the first answer of a chat. */
const FIRST_ANSWER = 1;

/** Chats: the view of the store of talk for clients that choose the ids of their conversations. */
@Injectable()
export class ChatRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly talk: TalkRepository,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Appends an exchange to a chat, or shows it in place of a turn and all later turns. Concurrent calls for one
   * chat wait for the lock on the row of the chat, so that each exchange gets its own positions.
   *
   * @throws Conflict if the chat has fewer turns than come before the exchange, and for a chat of another bound;
   *   PayloadTooLarge beyond the quota of chats.
   */
  async append(scope: Scope, chat: ChatIdentity, exchange: Exchange): Promise<StoredPlace> {
    const { replaceFrom = null } = exchange;
    const talker = talkerOf(scope, chat.endUserId);
    return this.dataSource.transaction(async (manager) => {
      const isReplacing =
        replaceFrom !== null && (await this.replace(manager, scope, chat, replaceFrom, exchange.question));
      const place = await this.appendIn(manager, scope, chat, exchange);
      const isNew = !isReplacing && place.position === FIRST_ANSWER;
      if (isNew) await this.quotas.take(manager, talker, 'chats', 1);
      return place;
    });
  }

  /**
   * Appends both turns of an exchange in two statements: a cluster sends the rows of a statement that returns both to all
   * of its nodes, also to one that is down.
   */
  private async appendIn(
    manager: Queryable,
    scope: Scope,
    { chatId, endUserId }: ChatIdentity,
    exchange: Exchange,
  ): Promise<StoredPlace> {
    const question = storableText(exchange.question);
    const evidence = exchange.evidence === undefined ? null : printStorable(exchange.evidence);
    const search = printJson(exchange.search ?? {});
    const owner = talkOwner(scope, endUserId);
    const [chat] = await run<{ id: string; next: number; revision: number }>(
      manager,
      sql`insert into conversations as c (app_id, kind, chat_id, owner, readers, bound, title, next_position, revision,
            search, updated_at)
          values (${scope.appId}, 'chat', ${chatId}, ${owner}, ${talkReaders(owner)}::text[], ${talkBound(scope)}::jsonb,
            ${titleOf(question)}, 2, 1,
            ${search}::jsonb, clock_timestamp())
          on conflict (app_id, chat_id, (coalesce(owner, '')))
          do update set next_position = c.next_position + 2, revision = c.revision + 1, search = excluded.search,
            updated_at = excluded.updated_at
          where ${isWithinBound(scope)}
          returning conversation_id as id, next_position as next, revision`,
    );
    if (chat === undefined) throw ofAnotherBound();
    const { id, next, revision } = chat;
    await run(
      manager,
      sql`insert into turns (app_id, conversation_id, position, role, content, evidence, stopped, bytes)
          select ${scope.appId}, ${id}::uuid, ${next}::integer - 2 + place, role, content, evidence, stopped,
            octet_length(content) + coalesce(octet_length(evidence::text), 0)
          from (values (0, 'user', ${question}, null, false), (1, 'assistant', ${storableText(exchange.answer)},
            ${evidence}::jsonb, ${exchange.stopped ?? false})) as turn(place, role, content, evidence, stopped)`,
    );
    return { position: next - 1, revision };
  }

  /**
   * Keeps a turn and all later turns as a version. If the first question is replaced, and the title was made from this
   * question, a new title is made from the new question.
   *
   * @returns whether there was a turn at the position
   * @throws Conflict if the chat has fewer turns than come before the position
   */
  private async replace(
    database: Queryable,
    scope: Scope,
    chat: ChatIdentity,
    position: number,
    question: string,
  ): Promise<boolean> {
    const { appId } = scope;
    const [found] = await run<{ id: string; title: string; first: string; count: number }>(
      database,
      sql`select c.conversation_id as id, c.title, c.next_position as count, t.content as first
          from conversations c
          join turns t on t.app_id = c.app_id and t.conversation_id = c.conversation_id and t.position = 0
            and t.version = 0
          where ${isChat(scope, chat)}
          for update of c`,
    );
    requireTurnsBefore(position, found?.count);
    if (found === undefined || found.count === position) return false;
    const { id, title, first } = found;
    const renamed = position === 0 && title === titleOf(first) ? titleOf(question) : title;
    await run(
      database,
      sql`update conversations set next_position = ${position}, title = ${storableText(renamed)}
          where app_id = ${appId} and conversation_id = ${id}::uuid`,
    );
    const [last] = await run<{ version: number }>(
      database,
      sql`select max(version) as version from turns where app_id = ${appId} and conversation_id = ${id}::uuid`,
    );
    const version = (last?.version ?? 0) + 1;
    await run(
      database,
      sql`update turns set version = ${version}
          where app_id = ${appId} and conversation_id = ${id}::uuid and version = 0 and position >= ${position}`,
    );
    await run(
      database,
      sql`delete from turns where app_id = ${appId} and conversation_id = ${id}::uuid
            and version between 1 and ${version - MAX_VERSIONS}::integer`,
    );
    return true;
  }

  /**
   * Returns the last turns of a chat, oldest first; an empty list for an unknown chat.
   *
   * @param before only turns before this position; null: all turns
   */
  async lastTurns(
    scope: Scope,
    chat: ChatIdentity,
    limit: number,
    before: number | null = null,
  ): Promise<ChatTurn[]> {
    const turns = await run<ChatTurn & Quoting>(
      this.dataSource,
      sql`select t.role, t.content, ${EVIDENCE_OF_TEXT}, t.created_at as "createdAt"
          from conversations c
          join turns t on t.app_id = c.app_id and t.conversation_id = c.conversation_id
          where ${isChat(scope, chat)} and t.version = 0
            and (${before}::integer is null or t.position < ${before}::integer)
          order by t.position desc limit ${limit}`,
    );
    return this.talk.readable(scope, chat.endUserId, turns.reverse());
  }

  /** @throws Conflict if the owner has a chat with this id for another folder or filter */
  async requireSameBound(scope: Scope, { chatId, endUserId }: ChatIdentity): Promise<void> {
    const others = await run(
      this.dataSource,
      sql`select c.conversation_id from conversations c
          where ${isChatOfOwner(scope, { chatId, endUserId })} and not (${isWithinBound(scope)})`,
    );
    if (others.length > 0) throw ofAnotherBound();
  }

  /** @throws Conflict if the chat has fewer turns than come before the question, or another revision */
  async requireState(scope: Scope, chat: ChatIdentity, { replaceFrom, revision }: KnownState): Promise<void> {
    if (replaceFrom === null && revision === null) return;
    const [found] = await run<{ count: number; revision: number }>(
      this.dataSource,
      sql`select c.next_position as count, c.revision from conversations c where ${isChat(scope, chat)}`,
    );
    const current = found?.revision ?? 0;
    if (revision !== null && revision !== current) {
      throw new Conflict(`The chat has changed: its revision is ${current}, not ${revision}`);
    }
    if (replaceFrom !== null) requireTurnsBefore(replaceFrom, found?.count);
  }

  /** Returns at most two of the selected chats with an id. A chat of the administrators comes first. */
  async find(scope: Scope, chatId: string, choice: TalkChoice): Promise<FoundChat[]> {
    return run<FoundChat>(
      this.dataSource,
      sql`select c.conversation_id as "conversationId", c.owner
          from conversations c
          where c.app_id = ${scope.appId} and c.kind = 'chat' and c.chat_id = ${chatId} and ${reachesTalk(scope, choice)}
          order by c.owner nulls first limit 2`,
    );
  }

  /**
   * The shown turns of chats, chat by chat. A version of a turn no longer counts after an earlier turn was replaced,
   * which began another course of the chat.
   *
   * @param endUserId the end user that the request names
   */
  async turns(scope: Scope, ids: readonly string[], endUserId: string | null): Promise<ShownTurn[]> {
    const turns = await run<ShownTurn>(
      this.dataSource,
      sql`with replaced as (
            select conversation_id, version, min(position) as position from turns
            where app_id = ${scope.appId} and conversation_id = any(${ids}::uuid[]) and version > 0
            group by conversation_id, version)
          select ${FULL_TURN}, (
            select count(*)::integer from replaced r
            where r.conversation_id = t.conversation_id and r.position = t.position and not exists (
              select l.version from replaced l
              where l.conversation_id = r.conversation_id and l.version > r.version and l.position < r.position)
          ) as "earlierVersions"
          from ${RATED_TURNS}
          where t.app_id = ${scope.appId} and t.conversation_id = any(${ids}::uuid[]) and t.version = 0
          order by t.conversation_id, t.position`,
    );
    return this.talk.readable(scope, endUserId, turns);
  }

  /** The replaced turns of chats, chat by chat in the order of their replacement. */
  async replacedTurns(
    scope: Scope,
    ids: readonly string[],
    endUserId: string | null,
  ): Promise<ReplacedTurn[]> {
    const turns = await run<ReplacedTurn>(
      this.dataSource,
      sql`select ${FULL_TURN}, t.version, t.position from ${RATED_TURNS}
          where t.app_id = ${scope.appId} and t.conversation_id = any(${ids}::uuid[]) and t.version > 0
          order by t.conversation_id, t.version, t.position`,
    );
    return this.talk.readable(scope, endUserId, turns);
  }

  async change({ appId }: Scope, id: string, change: ChatChange): Promise<void> {
    if (Object.keys(change).length === 0) return;
    await this.dataSource.manager.update(ConversationEntity, { appId, conversationId: id }, change);
  }

  async delete({ appId }: Scope, id: string): Promise<void> {
    await run(
      this.dataSource,
      sql`delete from conversations where app_id = ${appId} and conversation_id = ${id}::uuid`,
    );
  }
}

/** Condition on a row `c` of `conversations`: it is the chat that a request continues. */
function isChat(scope: Scope, chat: ChatIdentity): Sql {
  return sql`${isChatOfOwner(scope, chat)} and ${isWithinBound(scope)}`;
}

function isChatOfOwner(scope: Scope, { chatId, endUserId }: ChatIdentity): Sql {
  return sql`c.app_id = ${scope.appId} and c.kind = 'chat' and c.chat_id = ${chatId}
    and ${isTalkOf(talkOwner(scope, endUserId))}`;
}

function ofAnotherBound(): Conflict {
  return new Conflict('The chat was begun for another folder or filter: use another chat_id');
}

function requireTurnsBefore(position: number, count = 0): void {
  if (count < position)
    throw new Conflict(`The chat has ${count} messages, so replace_from cannot be ${position}`);
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
