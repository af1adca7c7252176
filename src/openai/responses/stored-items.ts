import type { Citation, Evidence, Quotation, Source } from '../../chats/evidence.js';
import type { NewTurn, StoredTurn } from '../../chats/talk.repository.js';
import type { Attributes } from '../attributes.js';
import { uuidIn } from '../ids.js';
import type {
  FileCitation,
  FileSearchCallItem,
  FileSearchResult,
  Item,
  MessageItem,
  MessagePart,
} from './items.js';

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
