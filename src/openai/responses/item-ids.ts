import { Invalid, type Location } from '../../errors/index.js';
import type { GivenItem, Item } from './items.js';

/** Prefixes of item ids, by type of item. */
const PREFIXES = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  file_search_call: 'fs',
} as const;

const ITEM_ID = /^[a-z]+_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[io]\d+$/;

/**
 * Builds the id of an item. The id contains the id of the item's owner (the response or conversation for which the item
 * was created), so that an item is found without an index of items.
 * @param side `i`: an item of the input, or an item that a client added to a conversation; `o`: an item of the output
 */
export function itemId(type: keyof typeof PREFIXES, owner: string, side: 'i' | 'o', index: number): string {
  return `${PREFIXES[type]}_${owner.replaceAll('-', '')}${side}${index}`;
}

/** The UUID of the response or conversation in the id of an item; undefined for any other text. */
export function ownerOfItem(id: string): string | undefined {
  return ITEM_ID.exec(id)?.slice(1).join('-');
}

/**
 * Gives ids to new items, and replaces references by the items to which they refer.
 * @param first index of the first of these items in its owner
 * @param place location of the items in the request
 * @throws Invalid for a reference to an unknown item.
 */
export function identified(
  given: readonly GivenItem[],
  known: ReadonlyMap<string, Item>,
  { owner, first = 0, place }: { readonly owner: string; readonly first?: number; readonly place: Location },
): Item[] {
  return given.map((item, index): Item => {
    if (item.type !== 'item_reference') {
      return { id: itemId(item.type, owner, 'i', first + index), ...item };
    }
    const found = known.get(item.id);
    if (found !== undefined) return found;
    throw Invalid.at([...place, index, 'id'], `Item with id '${item.id.slice(0, 80)}' not found.`);
  });
}
