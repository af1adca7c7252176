import { Injectable } from '@nestjs/common';
import sql, { raw } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { endUserOf } from '../../access/principal.js';
import type { Scope } from '../../auth/scope.js';
import {
  rowsOf,
  windowOf,
  type CreationWindow,
  type Position,
  type WindowRows,
} from '../../corpus/vector-stores/creation-window.js';
import { run, type Queryable } from '../../database/run.js';
import { parseJson, printJson } from '../../json/exact-json.js';
import type { Item } from '../responses/items.js';

/** Identifies a conversation of a tenant and end user. `endUserId` is null for a conversation without an end user. */
export interface ConversationIdentity {
  readonly id: string;
  readonly endUserId: string | null;
}

export interface ConversationRow {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const COLUMNS = raw('c.conversation_id as id, c.metadata, c.created_at as "createdAt"');

/**
 * Statements over conversations and their items. A key of an end user reaches only the conversations of this end user,
 * even if the request names another end user. Statements over items do not check this, so the caller must find the
 * conversation first.
 */
@Injectable()
export class ConversationRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(
    manager: Queryable,
    scope: Scope,
    { id, endUserId }: ConversationIdentity,
    metadata: ConversationRow['metadata'],
  ): Promise<ConversationRow> {
    const [row] = await run<ConversationRow>(
      manager,
      sql`insert into conversations as c (app_id, conversation_id, end_user_id, metadata)
          values (${scope.appId}, ${id}::uuid, ${endUserOf(scope, endUserId)}, ${printJson(metadata)}::jsonb)
          returning ${COLUMNS}`,
    );
    if (row === undefined) throw new Error('the inserted conversation was not returned');
    return row;
  }

  async find(scope: Scope, { id, endUserId }: ConversationIdentity): Promise<ConversationRow | null> {
    const [row = null] = await run<ConversationRow>(
      this.dataSource,
      sql`select ${COLUMNS} from conversations c
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid
            and c.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text`,
    );
    return row;
  }

  /** @returns null when the conversation does not exist */
  async setMetadata(
    scope: Scope,
    { id, endUserId }: ConversationIdentity,
    metadata: ConversationRow['metadata'],
  ): Promise<ConversationRow | null> {
    const [row = null] = await run<ConversationRow>(
      this.dataSource,
      sql`update conversations c set metadata = ${printJson(metadata)}::jsonb
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid
            and c.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text
          returning ${COLUMNS}`,
    );
    return row;
  }

  /** Deletes a conversation with its items. @returns whether it existed */
  async delete(scope: Scope, { id, endUserId }: ConversationIdentity): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from conversations c
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid
            and c.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text
          returning c.conversation_id`,
    );
    return rows.length > 0;
  }

  /**
   * Reserves positions for new items and locks the conversation until the transaction ends.
   * @returns the first position; null when the conversation does not exist
   */
  async reserve(
    manager: Queryable,
    scope: Scope,
    { id, endUserId }: ConversationIdentity,
    count: number,
  ): Promise<number | null> {
    const [row] = await run<{ first: number }>(
      manager,
      sql`update conversations c set next_position = c.next_position + ${count}::integer
          where c.app_id = ${scope.appId} and c.conversation_id = ${id}::uuid
            and c.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text
          returning c.next_position - ${count}::integer as first`,
    );
    return row?.first ?? null;
  }

  /** Appends items at reserved positions. An item that the conversation already contains keeps its position. */
  async append(
    manager: Queryable,
    { appId }: Scope,
    id: string,
    first: number,
    items: readonly Item[],
  ): Promise<void> {
    const texts = items.map((item) => printJson(item));
    await run(
      manager,
      sql`insert into conversation_items (app_id, conversation_id, position, item_id, item, bytes)
          select ${appId}, ${id}::uuid, ${first}::integer + i.at::integer - 1, i.id, i.item::json, octet_length(i.item)
          from unnest(${items.map((item) => item.id)}::text[], ${texts}::text[]) with ordinality as i(id, item, at)
          on conflict (app_id, conversation_id, item_id) do nothing`,
    );
  }

  /** Total size of the items in bytes. */
  async totalBytes({ appId }: Scope, id: string): Promise<number> {
    const [row] = await run<{ bytes: number }>(
      this.dataSource,
      sql`select coalesce(sum(i.bytes), 0)::float8 as bytes from conversation_items i
          where i.app_id = ${appId} and i.conversation_id = ${id}::uuid`,
    );
    return row?.bytes ?? 0;
  }

  /** All items, oldest first. */
  async items({ appId }: Scope, id: string): Promise<Item[]> {
    return itemsOf(
      await run<{ item: string }>(
        this.dataSource,
        sql`select i.item::text as item from conversation_items i
            where i.app_id = ${appId} and i.conversation_id = ${id}::uuid order by i.position`,
      ),
    );
  }

  /** A page of the items in their order. */
  async list({ appId }: Scope, id: string, window: CreationWindow): Promise<WindowRows<Item>> {
    const source = sql`select i.position as at, i.conversation_id as id, i.item::text as item
      from conversation_items i where i.app_id = ${appId} and i.conversation_id = ${id}::uuid`;
    const found = await run<Position & { item: string }>(this.dataSource, windowOf(source, window));
    const { rows, hasMore } = rowsOf(found, window);
    return { rows: itemsOf(rows), hasMore };
  }

  /** @returns null for an unknown item */
  async item(
    { appId }: Scope,
    id: string,
    itemId: string,
  ): Promise<{ readonly item: Item; readonly position: Position } | null> {
    const [row] = await run<{ item: string; at: number }>(
      this.dataSource,
      sql`select i.item::text as item, i.position as at from conversation_items i
          where i.app_id = ${appId} and i.conversation_id = ${id}::uuid and i.item_id = ${itemId}`,
    );
    return row === undefined ? null : { item: parseJson(row.item) as Item, position: { at: row.at, id } };
  }

  /** Items by id, from any conversations of the end user. */
  async referenced(
    scope: Scope,
    places: readonly { readonly conversationId: string; readonly itemId: string }[],
    endUserId: string | null,
  ): Promise<Item[]> {
    return itemsOf(
      await run<{ item: string }>(
        this.dataSource,
        sql`select i.item::text as item from conversation_items i
            join conversations c on c.app_id = ${scope.appId} and c.conversation_id = i.conversation_id
            where i.app_id = ${scope.appId}
              and i.conversation_id = any(${places.map((place) => place.conversationId)}::uuid[])
              and i.item_id = any(${places.map((place) => place.itemId)}::text[])
              and c.end_user_id is not distinct from ${endUserOf(scope, endUserId)}::text`,
      ),
    );
  }

  /** @returns whether the item existed */
  async deleteItem({ appId }: Scope, id: string, itemId: string): Promise<boolean> {
    const rows = await run(
      this.dataSource,
      sql`delete from conversation_items i
          where i.app_id = ${appId} and i.conversation_id = ${id}::uuid and i.item_id = ${itemId}
          returning i.item_id`,
    );
    return rows.length > 0;
  }
}

function itemsOf(rows: readonly { readonly item: string }[]): Item[] {
  return rows.map(({ item }) => parseJson(item) as Item);
}
