import type { Attributes } from '../attributes.js';

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
