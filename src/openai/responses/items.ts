import { Invalid, type Location } from '../../errors/index.js';
import type { ChatMessage, ContentPart } from '../../models/llm/language-model.js';
import type { Attributes } from '../attributes.js';
import { itemId, uuidIn } from '../ids.js';
import type { NewTurn, StoredTurn } from '../../chats/talk.repository.js';
import type { Citation, Evidence, Quotation, Source } from '../../chats/evidence.js';

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

/** The items of a conversation in the form in which a model receives them. */
export interface ModelMessages {
  /** Texts of system and developer messages. */
  readonly instructions: readonly string[];
  readonly messages: readonly ChatMessage[];
}

const INPUT = ['body', 'input'];

/**
 * Converts items to messages.
 * @throws Invalid for an output without its call, and for a call without its output, because providers reject both.
 */
export function modelMessagesOf(items: readonly Item[]): ModelMessages {
  requirePairs(items);
  const instructions: string[] = [];
  const messages: ChatMessage[] = [];
  for (const item of items) {
    if (item.type === 'file_search_call') continue;
    if (item.type === 'function_call') {
      addCall(messages, { id: item.call_id, name: item.name, arguments: item.arguments });
    } else if (item.type === 'function_call_output') {
      messages.push({ role: 'tool', content: item.output, toolCallId: item.call_id });
    } else if (item.role === 'system' || item.role === 'developer') {
      instructions.push(textOf(item.content));
    } else {
      messages.push({ role: item.role, content: contentOf(item.content) });
    }
  }
  return { instructions, messages };
}

/** Adds a call to the last message if it is from the assistant, otherwise as a new message. */
function addCall(messages: ChatMessage[], call: NonNullable<ChatMessage['toolCalls']>[number]): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') {
    messages.push({ role: 'assistant', content: '', toolCalls: [call] });
    return;
  }
  messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), call] };
}

function requirePairs(items: readonly Item[]): void {
  const called = new Set<string>();
  const open = new Set<string>();
  for (const item of items) {
    if (item.type === 'function_call') {
      called.add(item.call_id);
      open.add(item.call_id);
    } else if (item.type === 'function_call_output') {
      if (!called.has(item.call_id))
        throw unpaired('call', 'function call output with call_id', item.call_id);
      open.delete(item.call_id);
    }
  }
  const [first] = open;
  if (first !== undefined) throw unpaired('output', 'function call', first);
}

function unpaired(missing: string, present: string, callId: string): Invalid {
  return Invalid.at(INPUT, `No tool ${missing} found for ${present} ${callId.slice(0, 80)}`);
}

function contentOf(parts: readonly MessagePart[]): ChatMessage['content'] {
  if (parts.every(({ type }) => type !== 'input_image')) return textOf(parts);
  return parts.map((part): ContentPart =>
    part.type === 'input_image'
      ? { type: 'image', dataUri: part.image_url }
      : { type: 'text', text: textOf([part]) },
  );
}

function textOf(parts: readonly MessagePart[]): string {
  return parts
    .map((part) => {
      if (part.type === 'refusal') return part.refusal;
      return part.type === 'input_image' ? '' : part.text;
    })
    .join('');
}

/** What the items of an answer do not tell about its evidence. */
export interface Grounds {
  /** Ids of the items of the answer. Other items, of the input, have no part in it. */
  readonly answer: ReadonlySet<string>;
  /** Ids of the documents of files, by the id of the file. */
  readonly documents: ReadonlyMap<string, string>;
  /** Parts of the answer that repeat a document; absent if a model wrote the answer. */
  readonly quotations?: readonly Quotation[] | undefined;
  readonly model?: string;
}

const NO_GROUNDS: Grounds = { answer: new Set(), documents: new Map() };

/** An item as it is stored: a plain message without its words, a file search without its results. */
type StoredItem =
  | Exclude<Item, MessageItem | FileSearchCallItem>
  | (Omit<MessageItem, 'content'> & { readonly content: readonly MessagePart[] | null })
  | FileSearchCallItem;

/**
 * Converts items to turns. The words of a plain message become the content of its turn, and citations and results
 * become evidence. An item that repeats an earlier one has no id of its own.
 */
export function turnsOf(items: readonly Item[], grounds: Grounds = NO_GROUNDS): NewTurn[] {
  const seen = new Set<string>();
  return items.map((item) => {
    const itemId = seen.has(item.id) ? null : item.id;
    seen.add(item.id);
    return { ...turnOf(item, grounds.answer.has(item.id) ? grounds : NO_GROUNDS), itemId };
  });
}

function turnOf(item: Item, grounds: Grounds): Omit<NewTurn, 'itemId'> {
  if (item.type === 'function_call_output') return { role: 'tool', content: '', evidence: null, item };
  if (item.type === 'function_call') return { role: 'assistant', content: '', evidence: null, item };
  if (item.type === 'file_search_call') {
    if (item.results === null) return { role: 'assistant', content: '', evidence: null, item };
    const sources = item.results.map((result) => sourceOf(result, grounds));
    return {
      role: 'assistant',
      content: '',
      evidence: { citations: [], sources },
      item: { ...item, results: null },
    };
  }
  const { role } = item;
  const [part, ...others] = item.content;
  const isText = part?.type === 'input_text' || part?.type === 'output_text';
  if (!isText || others.length > 0) {
    return { role, content: '', evidence: null, item };
  }
  const evidence = part.type === 'output_text' ? evidenceOf(part.annotations, grounds) : null;
  return { role, content: part.text, evidence, item: { ...item, content: null } };
}

function evidenceOf(annotations: readonly FileCitation[], grounds: Grounds): Evidence | null {
  const { quotations, model } = grounds;
  if (annotations.length === 0 && (quotations ?? []).length === 0) return null;
  return {
    citations: annotations.map((one) => citationOf(one, grounds)),
    sources: [],
    ...(quotations === undefined ? {} : { quotations }),
    ...(model === undefined ? {} : { model }),
  };
}

function citationOf(
  { file_id, filename, index, quote, page_number, withheld }: FileCitation,
  grounds: Grounds,
): Citation {
  return {
    start: index,
    end: index,
    text: '',
    document_id: documentOf(file_id, grounds),
    chunk_number: 0,
    filename,
    page_number,
    quote,
    file_id,
    ...(withheld === undefined ? {} : { withheld }),
  };
}

function sourceOf(
  { file_id, filename, score, text, attributes, withheld }: FileSearchResult,
  grounds: Grounds,
): Source {
  return {
    document_id: documentOf(file_id, grounds),
    chunk_number: 0,
    score,
    filename,
    page_number: null,
    is_image: false,
    excerpt: text,
    file_id,
    attributes,
    ...(withheld === undefined ? {} : { withheld }),
  };
}

/** The document of a file. A file of an unknown document stands for every document with this file. */
function documentOf(fileId: string, { documents }: Grounds): string {
  return documents.get(fileId) ?? uuidIn('file', fileId) ?? '';
}

/** Converts a turn to the item from which it was made. */
export function itemOf({ content, evidence, item }: StoredTurn): Item {
  const stored = item as StoredItem;
  if (stored.type === 'file_search_call') {
    return evidence === null ? stored : { ...stored, results: evidence.sources.map(resultOf) };
  }
  if (stored.type !== 'message') return stored;
  if (stored.content !== null) return { ...stored, content: stored.content };
  const part: MessagePart =
    stored.role === 'assistant'
      ? { type: 'output_text', text: content, annotations: annotationsOf(evidence), logprobs: [] }
      : { type: 'input_text', text: content };
  return { ...stored, content: [part] };
}

function annotationsOf(evidence: Evidence | null): FileCitation[] {
  return (evidence?.citations ?? []).map(
    ({ file_id = '', filename, start, quote, page_number, withheld }) => ({
      type: 'file_citation',
      file_id,
      filename: filename ?? '',
      index: start,
      quote,
      page_number,
      ...(withheld === undefined ? {} : { withheld }),
    }),
  );
}

function resultOf({
  file_id = '',
  filename,
  score,
  excerpt,
  attributes = {},
  withheld,
}: Source): FileSearchResult {
  return {
    file_id,
    filename: filename ?? '',
    score: score ?? 0,
    text: excerpt,
    attributes: attributes as Attributes,
    ...(withheld === undefined ? {} : { withheld }),
  };
}
