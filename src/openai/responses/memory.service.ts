import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { BadRequest, Invalid, type Location } from '../../errors/index.js';
import { ConversationRepository } from '../conversations/conversation.repository.js';
import { idOf, knownUuid, notFound, ownerOfItem, uuidIn } from '../ids.js';
import type { GivenItem, Item } from './items.js';
import type { CreateResponseDto } from './response.dto.js';
import { ResponseRepository } from './response.repository.js';

/** Maximum number of responses that a chain of `previous_response_id` may have. */
const MAX_RESPONSES = 1_000;

/** Maximum size in bytes of the stored items that a request may load. More would not fit into any context window. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** Loads the stored items that precede a request, and the items that it references. */
@Injectable()
export class MemoryService {
  constructor(
    private readonly responses: ResponseRepository,
    private readonly conversations: ConversationRepository,
  ) {}

  /**
   * Loads the items that precede a request.
   *
   * @returns the items of its conversation, or of its previous response and all responses before that response, oldest
   *   first
   * @throws NotFound for an unknown conversation; BadRequest when one of the responses does not exist, or when the
   *   items are too many or too large.
   */
  async before(scope: Scope, dto: CreateResponseDto): Promise<Item[]> {
    const { conversation, previous_response_id: previousId, end_user_id: endUserId } = dto;
    if (conversation !== null) return this.ofConversation(scope, conversation, endUserId);
    return previousId === null ? [] : this.ofResponses(scope, previousId, endUserId);
  }

  /**
   * Loads the stored items that a request references. Returns these items and the earlier items, by id.
   * @param earlier items that have been loaded already
   * @throws Invalid if these items together are too large.
   */
  async referenced(
    scope: Scope,
    given: readonly GivenItem[],
    { endUserId, place, earlier = [] }: ReferencingRequest,
  ): Promise<ReadonlyMap<string, Item>> {
    const known = new Map(earlier.map((item) => [item.id, item]));
    const missing = given.flatMap((item) => {
      if (item.type !== 'item_reference' || known.has(item.id)) return [];
      const owner = ownerOfItem(item.id);
      return owner === undefined ? [] : [{ itemId: item.id, owner }];
    });
    if (missing.length === 0) return known;
    const places = missing.map(({ itemId, owner }) => ({ itemId, conversationId: owner }));
    if ((await this.responses.placedBytes(scope, places, endUserId)) > MAX_BYTES) {
      throw Invalid.at(place, `Value error, its item references have more than ${MAX_BYTES} bytes`);
    }
    for (const item of await this.responses.placed(scope, places, endUserId)) known.set(item.id, item);
    return known;
  }

  private async ofConversation(scope: Scope, given: string, endUserId: string | null): Promise<Item[]> {
    const id = knownUuid('conversation', given);
    const conversation = await this.conversations.find(scope, { id, endUserId });
    if (conversation === null) throw notFound('conversation', given);
    if ((await this.conversations.totalBytes(scope, id)) > MAX_BYTES) {
      throw new BadRequest(`The conversation has more than ${MAX_BYTES} bytes`, undefined, {
        param: 'conversation',
      });
    }
    return this.conversations.items(scope, { id, endUserId });
  }

  private async ofResponses(scope: Scope, previousId: string, endUserId: string | null): Promise<Item[]> {
    const id = uuidIn('response', previousId);
    if (id === undefined) throw noPrevious(previousId);
    const ancestors = await this.responses.ancestors(scope, { id, endUserId }, MAX_RESPONSES);
    const [oldest] = ancestors;
    if (oldest === undefined) throw noPrevious(previousId);
    const ids = ancestors.map((ancestor) => ancestor.id);
    const bytes = await this.responses.totalBytes(scope, ids);
    if (bytes > MAX_BYTES || (oldest.previousId !== null && ancestors.length === MAX_RESPONSES)) {
      throw new BadRequest(
        `The chain before this response has more than ${MAX_RESPONSES} responses or ${MAX_BYTES} bytes`,
        undefined,
        { param: 'previous_response_id' },
      );
    }
    if (oldest.previousId !== null) throw noPrevious(idOf('response', oldest.previousId));
    const items = await this.responses.items(scope, ids, endUserId);
    return ids.flatMap((one) => items.get(one) ?? []);
  }
}

interface ReferencingRequest {
  readonly endUserId: string | null;
  /** Location of the items in the request. */
  readonly place: Location;
  readonly earlier?: readonly Item[];
}

function noPrevious(id: string): BadRequest {
  return new BadRequest(`Previous response with id '${id.slice(0, 80)}' not found.`, undefined, {
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  });
}
