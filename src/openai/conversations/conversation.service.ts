import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 } from 'uuid';
import { touchesTalk } from '../../access/touches.js';
import type { Scope } from '../../auth/scope.js';
import type { Queryable } from '../../database/run.js';
import type { WindowRows } from '../../corpus/vector-stores/creation-window.js';
import { windowIn } from '../cursor-list.js';
import { idOf, knownUuid, notFound } from '../ids.js';
import { identified, type Grounds, type GivenItem, type Item } from '../responses/items.js';
import { MemoryService } from '../responses/memory.service.js';
import type { ItemsQuery } from '../responses/response.dto.js';
import type { CreateConversationDto, CreateItemsDto, UpdateConversationDto } from './conversation.dto.js';
import {
  ConversationRepository,
  type ConversationIdentity,
  type ConversationRow,
} from './conversation.repository.js';

const PLACE = ['body', 'items'];

/** Conversations: ordered lists of items that clients and responses append. */
@Injectable()
export class ConversationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly conversations: ConversationRepository,
    private readonly memory: MemoryService,
  ) {}

  /** @throws Invalid for a reference to an unknown item. */
  async create(
    scope: Scope,
    { items, metadata, end_user_id: endUserId }: CreateConversationDto,
  ): Promise<ConversationRow> {
    const identity = { id: v7(), endUserId };
    const given = items ?? [];
    const known = await this.memory.referenced(scope, given, { endUserId, place: PLACE });
    return this.dataSource.transaction(async (manager) => {
      const created = await this.conversations.insert(manager, scope, identity, metadata ?? {});
      await this.add(manager, scope, identity, given, known);
      return created;
    });
  }

  /** @throws NotFound */
  async get(scope: Scope, id: string, endUserId: string | null): Promise<ConversationRow> {
    const row = await this.conversations.find(scope, { id: knownUuid('conversation', id), endUserId });
    if (row === null) throw notFound('conversation', id);
    touchesTalk(scope, id, endUserId);
    return row;
  }

  /** @throws NotFound */
  async update(
    scope: Scope,
    id: string,
    { metadata, end_user_id: endUserId }: UpdateConversationDto,
  ): Promise<ConversationRow> {
    const identity = { id: knownUuid('conversation', id), endUserId };
    const row = await this.conversations.setMetadata(scope, identity, metadata ?? {});
    if (row === null) throw notFound('conversation', id);
    touchesTalk(scope, id, endUserId);
    return row;
  }

  /** Deletes a conversation with its items, but not its responses. @throws NotFound */
  async delete(scope: Scope, id: string, endUserId: string | null): Promise<void> {
    const existed = await this.conversations.delete(scope, { id: knownUuid('conversation', id), endUserId });
    if (!existed) throw notFound('conversation', id);
    touchesTalk(scope, id, endUserId);
  }

  /** @throws NotFound for the conversation; Invalid for a reference to an unknown item. */
  async addItems(
    scope: Scope,
    id: string,
    { items, end_user_id: endUserId }: CreateItemsDto,
  ): Promise<Item[]> {
    const identity = { id: (await this.get(scope, id, endUserId)).id, endUserId };
    const known = await this.memory.referenced(scope, items, { endUserId, place: PLACE });
    return this.dataSource.transaction((manager) => this.add(manager, scope, identity, items, known));
  }

  /**
   * Appends items that have ids.
   * @throws NotFound for the conversation.
   */
  async append(
    manager: Queryable,
    scope: Scope,
    identity: ConversationIdentity,
    items: readonly Item[],
    grounds: Grounds,
  ): Promise<void> {
    const first = await this.reserve(manager, scope, identity, items.length);
    await this.conversations.append(manager, scope, identity.id, first, items, grounds);
  }

  /** A page of the items. @throws NotFound; Invalid for an unknown cursor. */
  async items(scope: Scope, id: string, query: ItemsQuery): Promise<WindowRows<Item>> {
    const { end_user_id: endUserId } = query;
    const identity = { id: (await this.get(scope, id, endUserId)).id, endUserId };
    const window = await windowIn(query, {
      present: async (itemId) => (await this.conversations.item(scope, identity, itemId))?.position ?? null,
      former: (itemId) => this.conversations.formerPosition(scope, identity.id, itemId),
    });
    return this.conversations.list(scope, identity, window);
  }

  /** @throws NotFound for the conversation or the item. */
  async item(scope: Scope, id: string, itemId: string, endUserId: string | null): Promise<Item> {
    const { id: uuid } = await this.get(scope, id, endUserId);
    const found = await this.conversations.item(scope, { id: uuid, endUserId }, itemId);
    if (found === null) throw notFound('item', itemId);
    return found.item;
  }

  /** @returns the conversation. @throws NotFound for the conversation or the item. */
  async deleteItem(
    scope: Scope,
    id: string,
    itemId: string,
    endUserId: string | null,
  ): Promise<ConversationRow> {
    const conversation = await this.get(scope, id, endUserId);
    const existed = await this.conversations.deleteItem(scope, conversation.id, itemId);
    if (!existed) throw notFound('item', itemId);
    return conversation;
  }

  private async add(
    manager: Queryable,
    scope: Scope,
    identity: ConversationIdentity,
    given: readonly GivenItem[],
    known: ReadonlyMap<string, Item>,
  ): Promise<Item[]> {
    const first = await this.reserve(manager, scope, identity, given.length);
    const items = identified(given, known, { owner: identity.id, first, place: PLACE });
    await this.conversations.append(manager, scope, identity.id, first, items);
    return items;
  }

  private async reserve(
    manager: Queryable,
    scope: Scope,
    identity: ConversationIdentity,
    count: number,
  ): Promise<number> {
    const first = await this.conversations.reserve(manager, scope, identity, count);
    if (first === null) throw notFound('conversation', idOf('conversation', identity.id));
    return first;
  }
}
