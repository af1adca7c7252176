import { Injectable } from '@nestjs/common';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { isTalkOf, reachesTalk, TALK_END_USER, type TalkChoice, talkOwner } from '../access/talk.js';
import type { Scope } from '../auth/scope.js';
import { containsText } from '../database/contains-text.js';
import { run } from '../database/run.js';
import type { ChatTurn } from './chat.repository.js';
import { excerptWith, hasWords } from './chat-words.js';
import type { ConversationEntity } from './conversation.entity.js';
import { EVIDENCE_OF_TEXT } from './evidence-of-text.js';
import { type ChatLink, LINK_WORKS } from './links/chat-link.repository.js';
import { TalkRepository } from './talk.repository.js';
import type { Quoting } from './withheld.js';

/** Selects some of the chats that a request may read. */
export interface ChatSelection extends TalkChoice {
  /** null: chats with any id */
  readonly chatId: string | null;
  /** null: chats in any folder and in none */
  readonly folder: string | null;
  /** Words that the title or a turn contains, all of them, in any case; empty: any chat. */
  readonly words: readonly string[];
  readonly limit: number;
}

export interface ChatSummary extends Pick<
  ConversationEntity,
  'owner' | 'search' | 'pinned' | 'folder' | 'revision' | 'createdAt' | 'updatedAt'
> {
  readonly chatId: string;
  readonly endUserId: string | null;
  readonly title: string;
  readonly turnCount: number;
  readonly lastTurn: ChatTurn;
  /** An excerpt of a turn with the searched words; null: there is none, or nothing was searched. */
  readonly match: string | null;
  /** The working link to the chat, if it is the caller's own. */
  readonly link: WorkingLink | null;
}

export type WorkingLink = Pick<ChatLink, 'linkId' | 'expiresAt'>;

/** A chat with its last turn and, if words are searched, the last turns that have them, newest first. */
interface Row extends Omit<ChatSummary, 'lastTurn' | 'match' | 'link'>, Omit<ChatTurn, 'createdAt'>, Quoting {
  readonly turnedAt: Date;
  readonly found: readonly Quoting[];
  readonly linkId: string | null;
  readonly linkExpiresAt: Date | null;
}

/** The number of chats, newest first, that are searched for words. */
const SEARCHED = 1_000;

/** The number of turns of a chat, newest first, that are looked at if what has the words is withheld from the reader. */
const FOUND_TURNS = 20;

/** Chats per statement of a search. */
const SEARCH_PAGE = 50;

interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** Lists chats. */
@Injectable()
export class ChatListRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly talk: TalkRepository,
  ) {}

  /**
   * Pinned chats come first, then those with the latest turns. A search finds what the reader may read: it depends on no
   * text that is withheld.
   */
  async list(scope: Scope, selection: ChatSelection): Promise<ChatSummary[]> {
    const { words, limit, endUserId } = selection;
    if (words.length === 0) {
      const rows = await this.rows(scope, selection, { limit, offset: 0 });
      const lastTurns = await this.talk.readable(scope, endUserId, rows);
      return lastTurns.map((row) => summaryOf(scope, row, null));
    }
    const found: ChatSummary[] = [];
    const size = Math.max(limit, SEARCH_PAGE);
    for (let offset = 0; found.length < limit; offset += size) {
      const rows = await this.rows(scope, selection, { limit: size, offset });
      const texts = await this.readableTexts(scope, endUserId, rows);
      const lastTurns = await this.talk.readable(scope, endUserId, rows);
      for (const [index, row] of lastTurns.entries()) {
        const text = texts[index]?.find((one) => hasWords(one, words));
        if (text === undefined && !hasWords(row.title, words)) continue;
        found.push(summaryOf(scope, row, text === undefined ? null : excerptWith(text, words)));
      }
      if (rows.length < size) break;
    }
    return found.slice(0, limit);
  }

  private rows(scope: Scope, selection: ChatSelection, { limit, offset }: Window): Promise<Row[]> {
    const { words } = selection;
    const { appId } = scope;
    const isSearched = words.length > 0;
    const chats = isSearched ? sql`(${newest(scope, selection)})` : sql`conversations`;
    return run<Row>(
      this.dataSource,
      sql`select c.chat_id as "chatId", c.owner, ${TALK_END_USER} as "endUserId", c.title, c.search, c.pinned, c.folder,
            c.revision, c.next_position as "turnCount", c.created_at as "createdAt", c.updated_at as "updatedAt",
            t.role, t.content, ${EVIDENCE_OF_TEXT}, t.created_at as "turnedAt",
            ${isSearched ? sql`coalesce(m.turns, '[]')` : sql`'[]'::jsonb`} as found,
            l.link_id as "linkId", l.expires_at as "linkExpiresAt"
          from ${chats} c
          join turns t on t.app_id = ${appId} and t.conversation_id = c.conversation_id
            and t.position = c.next_position - 1 and t.version = 0
          left join chat_links l on l.app_id = ${appId} and l.conversation_id = c.conversation_id
            and ${isTalkOf(talkOwner(scope, null))} and ${LINK_WORKS}
          ${isSearched ? foundTurns(scope, words) : empty}
          where c.app_id = ${appId} and ${isSearched ? sql`(m.turns is not null or ${hasAll(sql`c.title`, words)})` : isSelected(scope, selection)}
          order by c.pinned desc, c.updated_at desc, c.conversation_id limit ${limit} offset ${offset}`,
    );
  }

  /** The found texts of each row, without what their reader may not read. */
  private async readableTexts(
    scope: Scope,
    endUserId: string | null,
    rows: readonly Row[],
  ): Promise<string[][]> {
    const turns = rows.flatMap(({ found }) => found);
    const texts = (await this.talk.readable(scope, endUserId, turns)).map(({ content }) => content);
    return rows.map(({ found }) => texts.splice(0, found.length));
  }
}

function summaryOf(scope: Scope, row: Row, match: string | null): ChatSummary {
  const { role, content, turnedAt, evidence: _, found: __, linkId, linkExpiresAt, ...chat } = row;
  const link = linkId === null || scope.policy !== undefined ? null : { linkId, expiresAt: linkExpiresAt };
  return { ...chat, lastTurn: { role, content, createdAt: turnedAt }, match, link };
}

/** Condition on a row `c` of `conversations`. */
function isSelected(scope: Scope, selection: ChatSelection): Sql {
  const { chatId, folder } = selection;
  return sql`c.app_id = ${scope.appId} and c.kind = 'chat' and ${reachesTalk(scope, selection)}
    ${chatId === null ? empty : sql`and c.chat_id = ${chatId}`}
    ${folder === null ? empty : sql`and c.folder = ${folder}`}`;
}

function newest(scope: Scope, selection: ChatSelection): Sql {
  return sql`select c.* from conversations c where ${isSelected(scope, selection)}
    order by c.pinned desc, c.updated_at desc limit ${SEARCHED}`;
}

/** Joins `m`, the last turns of a chat `c` with the words, newest first. */
function foundTurns({ appId }: Scope, words: readonly string[]): Sql {
  return sql`left join lateral (
      select jsonb_agg(jsonb_build_object('content', t.content, 'evidence', t.evidence) order by t.position desc) as turns
      from (
        select t.position, t.content, ${EVIDENCE_OF_TEXT} from turns t
        where t.app_id = ${appId} and t.conversation_id = c.conversation_id and t.version = 0
          and ${hasAll(sql`t.content`, words)}
        order by t.position desc limit ${FOUND_TURNS}) t
    ) m on true`;
}

function hasAll(text: Sql, words: readonly string[]): Sql {
  return join(
    words.map((word) => containsText(text, word)),
    ' and ',
  );
}
