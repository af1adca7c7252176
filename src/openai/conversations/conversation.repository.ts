import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { type StoredTurn, TalkRepository, type TalkRow } from '../../chats/talk.repository.js';
import type { CreationWindow, Position, WindowRows } from '../../corpus/vector-stores/creation-window.js';
import type { Queryable } from '../../database/run.js';
import { type Grounds, itemOf, turnsOf, type Item } from '../responses/items.js';

/** Identifies a conversation of a tenant and end user. `endUserId` is null for a conversation without an end user. */
export interface ConversationIdentity {
  readonly id: string;
  readonly endUserId: string | null;
}

export type ConversationRow = Pick<TalkRow, 'id' | 'metadata' | 'createdAt'>;

const KIND = { kind: 'conversation' } as const;

/** Conversations of the OpenAI protocol: a view of the store of talk, whose turns are items. */
@Injectable()
export class ConversationRepository {
  constructor(private readonly talk: TalkRepository) {}

  insert(
    manager: Queryable,
    scope: Scope,
    identity: ConversationIdentity,
    metadata: ConversationRow['metadata'],
  ): Promise<ConversationRow> {
    return this.talk.open(manager, scope, { ...KIND, ...identity }, { metadata });
  }

  find(scope: Scope, identity: ConversationIdentity): Promise<ConversationRow | null> {
    return this.talk.find(scope, { ...KIND, ...identity });
  }

  /** @returns null when the conversation does not exist */
  setMetadata(
    scope: Scope,
    identity: ConversationIdentity,
    metadata: ConversationRow['metadata'],
  ): Promise<ConversationRow | null> {
    return this.talk.setMetadata(scope, { ...KIND, ...identity }, metadata);
  }

  /** Deletes a conversation with its items. @returns whether it existed */
  delete(scope: Scope, identity: ConversationIdentity): Promise<boolean> {
    return this.talk.delete(scope, { ...KIND, ...identity });
  }

  /**
   * Reserves positions for new items and locks the conversation until the transaction ends.
   * @returns the first position; null when the conversation does not exist
   */
  reserve(
    manager: Queryable,
    scope: Scope,
    identity: ConversationIdentity,
    count: number,
  ): Promise<number | null> {
    return this.talk.reserve(manager, scope, { ...KIND, ...identity }, count);
  }

  /** Appends items at reserved positions. An item that the conversation already contains keeps its position. */
  append(
    manager: Queryable,
    scope: Scope,
    id: string,
    first: number,
    items: readonly Item[],
    grounds?: Grounds,
  ): Promise<void> {
    return this.talk.append(manager, scope, id, first, turnsOf(items, grounds));
  }

  /** Total size of the items in bytes. */
  totalBytes(scope: Scope, id: string): Promise<number> {
    return this.talk.bytesOf(scope, [id]);
  }

  /** All items, oldest first. */
  async items(scope: Scope, { id, endUserId }: ConversationIdentity): Promise<Item[]> {
    return (await this.talk.turns(scope, [id], endUserId)).map(itemOf);
  }

  async list(
    scope: Scope,
    identity: ConversationIdentity,
    window: CreationWindow,
  ): Promise<WindowRows<Item>> {
    const { rows, hasMore } = await this.talk.page(scope, { ...KIND, ...identity }, window);
    return { rows: rows.map(itemOf), hasMore };
  }

  /** @returns null for an unknown item */
  async item(
    scope: Scope,
    identity: ConversationIdentity,
    itemId: string,
  ): Promise<{ readonly item: Item; readonly position: Position } | null> {
    const turn = await this.talk.turn(scope, { ...KIND, ...identity }, itemId);
    return turn === null ? null : { item: itemOf(turn), position: positionOf(turn) };
  }

  /** The place of an item that was deleted; null: the conversation never had it. */
  async formerPosition(scope: Scope, id: string, itemId: string): Promise<Position | null> {
    const position = await this.talk.formerPosition(scope, id, itemId);
    return position === null ? null : { at: position, id };
  }

  /** @returns whether the item existed */
  deleteItem(scope: Scope, id: string, itemId: string): Promise<boolean> {
    return this.talk.deleteTurn(scope, id, itemId);
  }
}

function positionOf({ position, conversationId }: StoredTurn): Position {
  return { at: position, id: conversationId };
}
