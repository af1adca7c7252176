import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import {
  type Ancestor,
  type ItemPlace,
  type StoredTurn,
  TalkRepository,
} from '../../chats/talk.repository.js';
import type { Queryable } from '../../database/run.js';
import { type Grounds, itemOf, turnsOf, type Item, type OutputItem } from './items.js';
import type { ResponseObject } from './response-object.js';

/** Identifies a response of a tenant and end user. `endUserId` is null for a response without an end user. */
export interface ResponseIdentity {
  readonly id: string;
  readonly endUserId: string | null;
}

export interface NewResponse extends ResponseIdentity {
  readonly previousId: string | null;
  readonly input: readonly Item[];
  readonly response: ResponseObject;
  readonly grounds: Grounds;
}

const KIND = { kind: 'response' } as const;

/** Stored responses: a view of the store of talk, whose turns are the items of the input and then of the output. */
@Injectable()
export class ResponseRepository {
  constructor(private readonly talk: TalkRepository) {}

  async insert(
    manager: Queryable,
    scope: Scope,
    { id, endUserId, previousId, input, response, grounds }: NewResponse,
  ): Promise<void> {
    const identity = { ...KIND, id, endUserId };
    const items = [...input, ...response.output];
    const stored = { ...response, output: [] };
    await this.talk.open(manager, scope, identity, {
      previousId,
      response: stored,
      inputCount: input.length,
    });
    await this.talk.reserve(manager, scope, identity, items.length);
    await this.talk.append(manager, scope, id, 0, turnsOf(items, grounds));
  }

  async find(scope: Scope, identity: ResponseIdentity): Promise<ResponseObject | null> {
    const found = await this.whole(scope, identity);
    if (found === null) return null;
    const output = found.turns.slice(found.inputCount).map(itemOf) as OutputItem[];
    return { ...found.response, output };
  }

  /** The input of a response; null: the response does not exist. */
  async input(scope: Scope, identity: ResponseIdentity): Promise<Item[] | null> {
    const found = await this.whole(scope, identity);
    return found?.turns.slice(0, found.inputCount).map(itemOf) ?? null;
  }

  /** @returns whether the response existed */
  delete(scope: Scope, identity: ResponseIdentity): Promise<boolean> {
    return this.talk.delete(scope, { ...KIND, ...identity });
  }

  /** A response and the responses before it in its chain, oldest first; at most `limit`. */
  ancestors(scope: Scope, { id, endUserId }: ResponseIdentity, limit: number): Promise<Ancestor[]> {
    return this.talk.ancestors(scope, id, endUserId, limit);
  }

  /** Total size of the items of responses in bytes. */
  totalBytes(scope: Scope, ids: readonly string[]): Promise<number> {
    return this.talk.bytesOf(scope, ids);
  }

  /** Items by the id of their response: the items of its input, then the items of its output. */
  async items(
    scope: Scope,
    ids: readonly string[],
    endUserId: string | null,
  ): Promise<ReadonlyMap<string, readonly Item[]>> {
    const items = new Map<string, Item[]>(ids.map((id) => [id, []]));
    for (const turn of await this.talk.turns(scope, ids, endUserId)) {
      items.get(turn.conversationId)?.push(itemOf(turn));
    }
    return items;
  }

  /** Returns items by their places. A place is a response or conversation and the id of an item in it. */
  async placed(scope: Scope, places: readonly ItemPlace[], endUserId: string | null): Promise<Item[]> {
    return (await this.talk.placed(scope, places, endUserId)).map(itemOf);
  }

  /** Total size in bytes of the items that {@link placed} returns. */
  placedBytes(scope: Scope, places: readonly ItemPlace[], endUserId: string | null): Promise<number> {
    return this.talk.bytesPlaced(scope, places, endUserId);
  }

  private async whole(scope: Scope, { id, endUserId }: ResponseIdentity): Promise<WholeResponse | null> {
    const found = await this.talk.find(scope, { ...KIND, id, endUserId });
    if (found === null) return null;
    const turns = await this.talk.turns(scope, [id], endUserId);
    return { response: found.response as ResponseObject, inputCount: found.inputCount ?? 0, turns };
  }
}

interface WholeResponse {
  readonly response: ResponseObject;
  readonly inputCount: number;
  readonly turns: readonly StoredTurn[];
}
