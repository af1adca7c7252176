import { Invalid, type Location } from '../../errors/index.js';
import type { Attributes } from '../attributes.js';
import { itemId } from '../ids.js';

export type MessageRole = 'user' | 'assistant' | 'system' | 'developer';

/** A citation of a file in the text of a message. */
export interface FileCitation {
  readonly type: 'file_citation';
  readonly file_id: string;
  readonly filename: string;
  /** Position in the text, in UTF-16 code units. */
  readonly index: number;
  /** The sentence of the file that supports the statement. An extension of the protocol. */
  readonly quote: string | null;
  /** 1-based; null when unknown. An extension of the protocol. */
  readonly page_number: number | null;
  /** Present if the quote is withheld, because the reader may not read the file. An extension of the protocol. */
  readonly withheld?: true;
}

export type MessagePart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
  | {
      readonly type: 'output_text';
      readonly text: string;
      readonly annotations: readonly FileCitation[];
      readonly logprobs: readonly never[];
    }
  | { readonly type: 'refusal'; readonly refusal: string };

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly role: MessageRole;
  readonly status: ItemStatus;
  readonly content: readonly MessagePart[];
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: ItemStatus;
}

export interface FunctionCallOutputItem {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
  readonly status: ItemStatus;
}

export interface FileSearchResult {
  readonly file_id: string;
  readonly filename: string;
  readonly score: number;
  readonly text: string;
  /** Never null, because clients reject a response with null here. */
  readonly attributes: Attributes;
  /** Present if the text is withheld, because the reader may not read the file. An extension of the protocol. */
  readonly withheld?: true;
}

export interface FileSearchCallItem {
  readonly id: string;
  readonly type: 'file_search_call';
  readonly status: ItemStatus;
  readonly queries: readonly string[];
  /** null if the request does not ask for the results with `include`. */
  readonly results: readonly FileSearchResult[] | null;
}

export type OutputItem = MessageItem | FunctionCallItem | FileSearchCallItem;

/** An item of the input or output of a stored response. */
export type Item = OutputItem | FunctionCallOutputItem;

/** An item of a request before it has an id. */
export type GivenItem =
  | Omit<MessageItem, 'id'>
  | Omit<FunctionCallItem, 'id'>
  | Omit<FunctionCallOutputItem, 'id'>
  | { readonly type: 'item_reference'; readonly id: string };

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
