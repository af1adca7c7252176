import { idOf } from '../ids.js';

/** First parts of the ids of items. */
const PREFIXES = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  file_search_call: 'fs',
} as const;

const ITEM_ID = /^[a-z]+_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[io]\d+$/;

/**
 * The id of an item, which names its response: a reference to an item finds the response without an index of items.
 * @param side `i`: an item of the input; `o`: of the output
 */
export function itemId(
  type: keyof typeof PREFIXES,
  responseId: string,
  side: 'i' | 'o',
  index: number,
): string {
  return `${PREFIXES[type]}_${idOf('response', responseId).replace(/^resp_/, '')}${side}${index}`;
}

/** The UUID of the response that an item belongs to; undefined for a text that is no id of an item. */
export function responseOfItem(id: string): string | undefined {
  return ITEM_ID.exec(id)?.slice(1).join('-');
}
