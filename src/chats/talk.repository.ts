import { Injectable } from '@nestjs/common';
import sql, { raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import {
  isWithinBound,
  reachesNamedTalk,
  talkBound,
  talkerOf,
  talkOwner,
  talkReader,
  talkReaders,
} from '../access/talk.js';
import type { Owner } from '../access/principal.js';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import {
  rowsOf,
  windowOf,
  type CreationWindow,
  type Position,
  type WindowRows,
} from '../corpus/vector-stores/creation-window.js';
import { run, type Queryable } from '../database/run.js';
import { printJson } from '../json/exact-json.js';
import { storableText, printStorable } from '../json/storable.js';
import { Quotas } from '../quotas/quotas.service.js';
import type { ConversationEntity, ConversationKind, TurnEntity } from './conversation.entity.js';
import { documentsIn, type Quoting, withoutHiddenQuotes } from './withheld.js';

/** A turn before it has a position. */
export type NewTurn = Pick<TurnEntity, 'role' | 'content' | 'evidence' | 'itemId' | 'item'>;

/** A stored turn, without the quotes that its reader may not read. */
export type StoredTurn = NewTurn & Pick<TurnEntity, 'conversationId' | 'position'>;

export interface TalkIdentity {
  readonly kind: Exclude<ConversationKind, 'chat'>;
  readonly id: string;
  /** null: the request names no end user. */
  readonly endUserId: string | null;
}

export type TalkRow = Pick<ConversationEntity, 'metadata' | 'response' | 'inputCount' | 'createdAt'> & {
  readonly id: string;
};

/** What a new conversation or response contains besides its turns. */
export type NewTalk = Partial<
  Pick<ConversationEntity, 'metadata' | 'previousId' | 'response' | 'inputCount'>
>;

/** A response in a chain of responses. */
export type Ancestor = Pick<ConversationEntity, 'previousId'> & { readonly id: string };

/** The place of an item: the conversation or response that made it, and its id. */
export interface ItemPlace {
  readonly conversationId: string;
  readonly itemId: string;
}

const TALK = raw(
  'c.conversation_id as id, c.metadata, c.response, c.input_count as "inputCount", c.created_at as "createdAt"',
);

const TURN = raw(
  't.conversation_id as "conversationId", t.position, t.role, t.content, t.evidence, t.item_id as "itemId", t.item',
);

/**
 * The store of talk: statements over conversations and their turns. Chats, and the conversations and responses of the
 * OpenAI protocol, are views of it. Statements over turns do not check the owner, so the caller must find the
 * conversation first.
 */
@Injectable()
export class TalkRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly quotas: Quotas,
  ) {}

  async open(
    manager: Queryable,
    scope: Scope,
    { kind, id, endUserId }: TalkIdentity,
    { metadata = {}, previousId = null, response = null, inputCount = null }: NewTalk,
  ): Promise<TalkRow> {
    const owner = talkOwner(scope, endUserId);
    const object = response === null ? null : printStorable(response);
    const [row] = await run<TalkRow>(
      manager,
      sql`insert into conversations as c (app_id, conversation_id, kind, owner, readers, bound, metadata, previous_id,
            response, input_count)
          values (${scope.appId}, ${id}::uuid, ${kind}, ${owner}, ${talkReaders(owner)}::text[],
            ${talkBound(scope)}::jsonb, ${printJson(metadata)}::jsonb, ${previousId}::uuid, ${object}::json, ${inputCount})
          returning ${TALK}`,
    );
    if (row === undefined) throw new Error('the inserted conversation was not returned');
    await this.quotas.take(manager, talkerOf(scope, endUserId), 'chats', 1);
    return row;
  }

  async find(scope: Scope, { kind, id, endUserId }: TalkIdentity): Promise<TalkRow | null> {
    const [row = null] = await run<TalkRow>(
      this.dataSource,
      sql`select ${TALK} from conversations c
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid and c.kind = ${kind}
            and ${reachesNamedTalk(scope, endUserId)}`,
    );
    return row;
  }

  /** @returns null if the conversation does not exist */
  async setMetadata(
    scope: Scope,
    { kind, id, endUserId }: TalkIdentity,
    metadata: TalkRow['metadata'],
  ): Promise<TalkRow | null> {
    const [row = null] = await run<TalkRow>(
      this.dataSource,
      sql`update conversations c set metadata = ${printJson(metadata)}::jsonb
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid and c.kind = ${kind}
            and ${reachesNamedTalk(scope, endUserId)}
          returning ${TALK}`,
    );
    return row;
  }

  /** Deletes a conversation or response with its turns. @returns whether it existed */
  async delete(scope: Scope, { kind, id, endUserId }: TalkIdentity): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from conversations c
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid and c.kind = ${kind}
            and ${reachesNamedTalk(scope, endUserId)}
          returning c.conversation_id`,
    );
    return rows.length > 0;
  }

  /** Deletes all chats, conversations and responses of an owner. @returns their number */
  async deleteOf({ appId }: Scope, owner: Owner): Promise<number> {
    const rows = await run(
      this.dataSource,
      sql`delete from conversations c where c.app_id = ${appId} and c.owner = ${owner} returning c.conversation_id`,
    );
    return rows.length;
  }

  /**
   * Reserves positions for new turns, and locks the conversation until the transaction ends.
   * @returns the first position; null if the conversation does not exist
   */
  async reserve(
    manager: Queryable,
    scope: Scope,
    { kind, id, endUserId }: TalkIdentity,
    count: number,
  ): Promise<number | null> {
    const [row] = await run<{ first: number }>(
      manager,
      sql`update conversations c set next_position = c.next_position + ${count}::integer
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid and c.kind = ${kind}
            and ${reachesNamedTalk(scope, endUserId)} and ${isWithinBound(scope)}
          returning c.next_position - ${count}::integer as first`,
    );
    return row?.first ?? null;
  }

  /** Appends turns at reserved positions. An item that the conversation already contains keeps its position. */
  async append(
    manager: Queryable,
    { appId }: Scope,
    id: string,
    first: number,
    turns: readonly NewTurn[],
  ): Promise<void> {
    const texts = turns.map(({ content }) => storableText(content));
    const evidence = turns.map((turn) => (turn.evidence === null ? null : printStorable(turn.evidence)));
    const items = turns.map(({ item }) => printStorable(item));
    await run(
      manager,
      sql`insert into turns (app_id, conversation_id, position, role, content, evidence, item_id, item, bytes)
          select ${appId}, ${id}::uuid, ${first}::integer + t.at::integer - 1, t.role, t.content, t.evidence::jsonb, t.id,
            t.item::json, octet_length(t.content) + coalesce(octet_length(t.evidence), 0) + octet_length(t.item)
          from unnest(${turns.map(({ role }) => role)}::text[], ${texts}::text[], ${evidence}::text[],
            ${turns.map(({ itemId }) => itemId)}::text[], ${items}::text[])
            with ordinality as t(role, content, evidence, id, item, at)
          on conflict (app_id, conversation_id, item_id) do nothing`,
    );
  }

  /** Total size of the turns of conversations and responses, in bytes. */
  async bytesOf({ appId }: Scope, ids: readonly string[]): Promise<number> {
    const [row] = await run<{ bytes: number }>(
      this.dataSource,
      sql`select coalesce(sum(t.bytes), 0)::float8 as bytes from turns t
          where t.app_id = ${appId} and t.conversation_id = any(${ids}::uuid[])`,
    );
    return row?.bytes ?? 0;
  }

  /** All turns of conversations and responses, each in its order. */
  async turns(scope: Scope, ids: readonly string[], endUserId: string | null): Promise<StoredTurn[]> {
    const found = await run<StoredTurn>(
      this.dataSource,
      sql`select ${TURN} from turns t where t.app_id = ${scope.appId} and t.conversation_id = any(${ids}::uuid[])
          order by t.conversation_id, t.position`,
    );
    return this.readable(scope, endUserId, found);
  }

  async page(
    scope: Scope,
    { id, endUserId }: TalkIdentity,
    window: CreationWindow,
  ): Promise<WindowRows<StoredTurn>> {
    const source = sql`select t.position as at, t.conversation_id as id, ${TURN}
      from turns t where t.app_id = ${scope.appId} and t.conversation_id = ${id}::uuid`;
    const found = await run<Position & StoredTurn>(this.dataSource, windowOf(source, window));
    const { rows, hasMore } = rowsOf(found, window);
    return { rows: await this.readable(scope, endUserId, rows), hasMore };
  }

  /** @returns null for an unknown item */
  async turn(scope: Scope, { id, endUserId }: TalkIdentity, itemId: string): Promise<StoredTurn | null> {
    const found = await run<StoredTurn>(
      this.dataSource,
      sql`select ${TURN} from turns t
          where t.app_id = ${scope.appId} and t.conversation_id = ${id}::uuid and t.item_id = ${itemId}`,
    );
    const [turn = null] = await this.readable(scope, endUserId, found);
    return turn;
  }

  /** Turns by the ids of their items, from any conversations and responses that the request reaches. */
  async placed(scope: Scope, places: readonly ItemPlace[], endUserId: string | null): Promise<StoredTurn[]> {
    const found = await run<StoredTurn>(
      this.dataSource,
      sql`select ${TURN} from turns t
          join conversations c on c.app_id = ${scope.appId} and c.conversation_id = t.conversation_id
          where ${isPlaced(scope, places, endUserId)}`,
    );
    return this.readable(scope, endUserId, found);
  }

  /** Total size of the turns that {@link placed} returns, in bytes. */
  async bytesPlaced(scope: Scope, places: readonly ItemPlace[], endUserId: string | null): Promise<number> {
    const [row] = await run<{ bytes: number }>(
      this.dataSource,
      sql`select coalesce(sum(t.bytes), 0)::float8 as bytes from turns t
          join conversations c on c.app_id = ${scope.appId} and c.conversation_id = t.conversation_id
          where ${isPlaced(scope, places, endUserId)}`,
    );
    return row?.bytes ?? 0;
  }

  /** Deletes an item, and remembers where it stood. @returns whether the item existed */
  async deleteTurn({ appId }: Scope, id: string, itemId: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const [deleted] = await run<{ position: number }>(
        manager,
        sql`delete from turns t
            where t.app_id = ${appId} and t.conversation_id = ${id}::uuid and t.item_id = ${itemId}
            returning t.position`,
      );
      if (deleted === undefined) return false;
      await run(
        manager,
        sql`insert into deleted_items (app_id, conversation_id, item_id, position)
            values (${appId}, ${id}::uuid, ${itemId}, ${deleted.position})
            on conflict (app_id, conversation_id, item_id) do update set position = excluded.position`,
      );
      return true;
    });
  }

  /** The position of an item that was deleted; null: the conversation never had it. */
  async formerPosition({ appId }: Scope, id: string, itemId: string): Promise<number | null> {
    const [row] = await run<{ position: number }>(
      this.dataSource,
      sql`select i.position from deleted_items i
          where i.app_id = ${appId} and i.conversation_id = ${id}::uuid and i.item_id = ${itemId}`,
    );
    return row?.position ?? null;
  }

  /** A response and the responses before it in its chain, oldest first; at most `limit`. */
  async ancestors(scope: Scope, id: string, endUserId: string | null, limit: number): Promise<Ancestor[]> {
    return run<Ancestor>(
      this.dataSource,
      sql`with recursive chain as (
            select c.conversation_id, c.previous_id, 1 as depth from conversations c
            where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid and c.kind = 'response'
              and ${reachesNamedTalk(scope, endUserId)}
            union all
            select c.conversation_id, c.previous_id, chain.depth + 1 from chain
            join conversations c on c.app_id = ${scope.appId} and c.conversation_id = chain.previous_id
              and c.kind = 'response' and ${reachesNamedTalk(scope, endUserId)}
            where chain.depth < ${limit}
          )
          select conversation_id as id, previous_id as "previousId" from chain order by depth desc`,
    );
  }

  /**
   * Removes what answers quote of documents that their reader may not read. Every read of stored answers ends here.
   * @param endUserId the end user that the request names
   */
  async readable<T extends Quoting>(
    scope: Scope,
    endUserId: string | null,
    answers: readonly T[],
  ): Promise<T[]> {
    const ids = documentsIn(answers);
    if (ids.length === 0) return [...answers];
    const known = await this.documents.readable(talkReader(scope, endUserId), ids);
    return answers.map((answer) => withoutHiddenQuotes(answer, (id) => known.has(id)));
  }
}

/** Condition on a row `t` of `turns` and its conversation `c`. */
function isPlaced(scope: Scope, places: readonly ItemPlace[], endUserId: string | null): Sql {
  const conversations = places.map(({ conversationId }) => conversationId);
  const items = places.map(({ itemId }) => itemId);
  return sql`t.app_id = ${scope.appId} and t.conversation_id = any(${conversations}::uuid[])
    and t.item_id = any(${items}::text[]) and ${reachesNamedTalk(scope, endUserId)}`;
}
