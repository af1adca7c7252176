import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { BadRequest, Invalid } from '../../errors/index.js';
import { idOf, uuidIn } from '../ids.js';
import { itemId, responseOfItem } from './item-ids.js';
import type { GivenItem, Item } from './items.js';
import { ResponseRepository } from './response.repository.js';

/** Responses that one conversation may have. */
const MAX_RESPONSES = 1_000;

/** Stored items that one request may load: more would not fit the window of any model. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** Loads the items that a request continues: those of the previous responses, and those that it refers to. */
@Injectable()
export class MemoryService {
  constructor(private readonly responses: ResponseRepository) {}

  /**
   * @param previousId id of the protocol
   * @returns items of the previous response and of those before it, oldest first
   * @throws BadRequest when one of the responses does not exist, or when they are too many or too large.
   */
  async before(scope: Scope, previousId: string | null, endUserId: string | null): Promise<Item[]> {
    if (previousId === null) return [];
    const id = uuidIn('response', previousId);
    if (id === undefined) throw noPrevious(previousId);
    const ancestors = await this.responses.ancestors(scope, { id, endUserId }, MAX_RESPONSES);
    const [oldest] = ancestors;
    if (oldest === undefined) throw noPrevious(previousId);
    const bytes = ancestors.reduce((sum, ancestor) => sum + ancestor.bytes, 0);
    if (bytes > MAX_BYTES || (oldest.previousId !== null && ancestors.length === MAX_RESPONSES)) {
      throw new BadRequest(
        `The conversation before this response has more than ${MAX_RESPONSES} responses or ${MAX_BYTES} bytes`,
        undefined,
        { param: 'previous_response_id' },
      );
    }
    if (oldest.previousId !== null) throw noPrevious(idOf('response', oldest.previousId));
    const ids = ancestors.map((ancestor) => ancestor.id);
    const items = await this.responses.items(scope, ids, endUserId);
    return ids.flatMap((one) => items.get(one) ?? []);
  }

  /**
   * Gives items their ids, and replaces references by the items that they name.
   * @throws Invalid for a reference to an unknown item.
   */
  async resolve(
    scope: Scope,
    given: readonly GivenItem[],
    responseId: string,
    endUserId: string | null,
  ): Promise<Item[]> {
    const known = await this.referenced(scope, given, endUserId);
    return given.map((item, index): Item => {
      if (item.type === 'message') return { id: itemId(item.type, responseId, 'i', index), ...item };
      if (item.type === 'function_call') return { id: itemId(item.type, responseId, 'i', index), ...item };
      if (item.type === 'function_call_output')
        return { id: itemId(item.type, responseId, 'i', index), ...item };
      const found = known.get(item.id);
      if (found !== undefined) return found;
      throw Invalid.at(['body', 'input', index, 'id'], `Item with id '${item.id.slice(0, 80)}' not found.`);
    });
  }

  private async referenced(
    scope: Scope,
    given: readonly GivenItem[],
    endUserId: string | null,
  ): Promise<ReadonlyMap<string, Item>> {
    const responses = given.flatMap((item) =>
      item.type === 'item_reference' ? (responseOfItem(item.id) ?? []) : [],
    );
    const ids = [...new Set(responses)];
    if (ids.length === 0) return new Map();
    if ((await this.responses.totalBytes(scope, ids, endUserId)) > MAX_BYTES) {
      throw Invalid.at(
        ['body', 'input'],
        `Value error, the responses that it refers to have more than ${MAX_BYTES} bytes`,
      );
    }
    const items = await this.responses.items(scope, ids, endUserId);
    return new Map([...items.values()].flat().map((item) => [item.id, item]));
  }
}

function noPrevious(id: string): BadRequest {
  return new BadRequest(`Previous response with id '${id.slice(0, 80)}' not found.`, undefined, {
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  });
}
