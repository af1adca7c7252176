import { randomUUID } from 'node:crypto';
import type { CitationEntry } from '../../answering/citations/citations.js';
import type { Answer } from '../../answering/turn.js';
import type { ToolCall, Usage } from '../../models/llm/language-model.js';
import { attributesOf } from '../attributes.js';
import type { StorePassage } from '../search/vector-store-search.service.js';
import { idOf, itemId } from '../ids.js';
import type {
  FileCitation,
  FileSearchCallItem,
  FileSearchResult,
  FunctionCallItem,
  MessageItem,
  OutputItem,
} from './items.js';
import type { CreateResponseDto } from './response.dto.js';

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** Members of a response that change until it is completed. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  /** Seconds since 1970. */
  readonly completed_at: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason: 'max_output_tokens' | 'content_filter' } | null;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  /** Notes on parts of the request that had no effect. An extension of OpenAI's Responses API. */
  readonly notes?: readonly string[];
}

/**
 * A response object of OpenAI's Responses API. It repeats the members of the request; members without an effect have their
 * default values.
 */
export interface ResponseObject extends ResponseState {
  readonly id: string;
  readonly object: 'response';
  readonly [member: string]: unknown;
}

/** Id and time of creation of a response. */
export interface ResponseStamp {
  /** A UUID. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

export const IN_PROGRESS: ResponseState = {
  status: 'in_progress',
  completed_at: null,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
};

export function responseObject(
  { id, createdAt }: ResponseStamp,
  dto: CreateResponseDto,
  state: ResponseState,
): ResponseObject {
  return {
    id: idOf('response', id),
    object: 'response',
    created_at: createdAt,
    status: state.status,
    background: false,
    completed_at: state.completed_at,
    conversation: dto.conversation === null ? null : { id: dto.conversation },
    error: state.error,
    frequency_penalty: 0,
    incomplete_details: state.incomplete_details,
    instructions: dto.instructions,
    max_output_tokens: dto.max_output_tokens,
    max_tool_calls: null,
    metadata: dto.metadata ?? {},
    model: dto.model,
    output: state.output,
    parallel_tool_calls: dto.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: dto.previous_response_id,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: dto.isStored,
    temperature: dto.temperature ?? 1,
    text: { format: formatOf(dto), verbosity: 'medium' },
    tool_choice: dto.tool_choice?.echo ?? 'auto',
    tools: dto.givenTools.echo,
    top_logprobs: 0,
    top_p: dto.top_p ?? 1,
    truncation: 'auto',
    usage: state.usage,
    user: null,
    ...(state.notes === undefined ? {} : { notes: state.notes }),
  };
}

function formatOf({ text }: CreateResponseDto): object {
  const { type = 'text', ...rest } = text?.format ?? {};
  if (type !== 'json_schema') return { type };
  const { name, description, schema, strict } = { description: null, ...rest };
  return { type, name, schema, strict, ...(description === null ? {} : { description }) };
}

/** The part of a response that is known before its answer. */
export interface ResponseOutline {
  readonly stamp: ResponseStamp;
  readonly dto: CreateResponseDto;
}

/** Results of a `file_search` tool. */
export interface FileSearch {
  readonly query: string;
  readonly passages: readonly StorePassage[];
}

/** The value of `include` that adds the passages of a file search. */
const RESULTS = 'file_search_call.results';

/** The outcome of an answer: the status of the response and of its last items. */
export interface Conclusion {
  readonly status: 'completed' | 'incomplete';
  readonly incomplete_details: ResponseState['incomplete_details'];
}

export function conclusionOf({ finishReason }: Answer): Conclusion {
  if (finishReason === 'length') {
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  }
  if (finishReason === 'content_filter') {
    return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  }
  return { status: 'completed', incomplete_details: null };
}

/** The text of an answer's message; empty if the answer consists of calls only. */
export function textOf({ completion, text }: Answer): string {
  return typeof completion === 'string' ? completion : text;
}

/** Returns the state of a complete or truncated response. */
export function concludedState(answer: Answer, output: ResponseState['output']): ResponseState {
  const { status, incomplete_details } = conclusionOf(answer);
  return {
    status,
    completed_at: status === 'completed' ? Math.floor(Date.now() / 1_000) : null,
    error: null,
    incomplete_details,
    output,
    usage: usageOf(answer.usage),
    ...(answer.notes.length === 0 ? {} : { notes: answer.notes }),
  };
}

/** Builds the items of a response's output. The id of each item contains the next position. */
export class OutputBuilder {
  private next = 0;

  constructor(
    private readonly outline: ResponseOutline,
    private readonly fileSearch: FileSearch | null,
  ) {}

  /** The item of the file search; null if nothing was searched. */
  fileSearchCall(): FileSearchCallItem | null {
    const {
      fileSearch,
      outline: { dto },
    } = this;
    if (fileSearch === null) return null;
    return {
      id: this.idOf('file_search_call'),
      type: 'file_search_call',
      status: 'completed',
      queries: [fileSearch.query],
      results: dto.include?.includes(RESULTS) === true ? fileSearch.passages.map(resultOf) : null,
    };
  }

  messageId(): string {
    return this.idOf('message');
  }

  /** @param callId the id from the model; empty if the model gave no id */
  functionCall(callId: string, name: string): FunctionCallItem {
    return {
      id: this.idOf('function_call'),
      type: 'function_call',
      call_id: callId === '' ? `call_${randomUUID().replaceAll('-', '')}` : callId,
      name,
      arguments: '',
      status: 'in_progress',
    };
  }

  private idOf(type: 'message' | 'function_call' | 'file_search_call'): string {
    const index = this.next;
    this.next += 1;
    return itemId(type, this.outline.stamp.id, 'o', index);
  }
}

export function messageItem(id: string, answer: Answer, annotations: readonly FileCitation[]): MessageItem {
  const text = textOf(answer);
  const part =
    answer.refused === true
      ? ({ type: 'refusal', refusal: text } as const)
      : ({ type: 'output_text', text, annotations, logprobs: [] } as const);
  return { id, type: 'message', role: 'assistant', status: conclusionOf(answer).status, content: [part] };
}

function resultOf({ fileId, filename, score, metadata, chunk }: StorePassage): FileSearchResult {
  return { file_id: fileId, filename, score, text: chunk.content, attributes: attributesOf(metadata) };
}

/** The items of an answer: the file search, the message, the calls. */
export function outputOf(
  outline: ResponseOutline,
  fileSearch: FileSearch | null,
  answer: Answer,
): OutputItem[] {
  const builder = new OutputBuilder(outline, fileSearch);
  const { status } = conclusionOf(answer);
  const search = builder.fileSearchCall();
  const output: OutputItem[] = search === null ? [] : [search];
  if (hasMessage(answer)) {
    const annotations = annotationsOf(answer.citations, fileSearch);
    output.push(messageItem(builder.messageId(), answer, annotations));
  }
  for (const { id, name, arguments: given } of callsOf(answer)) {
    output.push({ ...builder.functionCall(id, name), arguments: given, status });
  }
  return output;
}

/** Whether an answer contains a message. An answer contains a message if it has text, or has neither text nor calls. */
export function hasMessage(answer: Answer): boolean {
  return textOf(answer) !== '' || callsOf(answer).length === 0;
}

export function callsOf({ toolCalls = [] }: Answer): readonly ToolCall[] {
  return toolCalls;
}

/** Converts the citations of an answer to annotations of its text: one for each file and position. */
export function annotationsOf(
  citations: readonly CitationEntry[],
  fileSearch: FileSearch | null,
): FileCitation[] {
  const passages = fileSearch?.passages ?? [];
  const files = new Map(passages.map(({ chunk, ...file }) => [chunk.documentId, file]));
  const annotations = new Map<string, FileCitation>();
  for (const { document_id: documentId, start, quote, page_number: page } of citations) {
    const file = files.get(documentId);
    if (file === undefined) continue;
    const place = `${start} ${file.fileId}`;
    if (annotations.has(place)) continue;
    annotations.set(place, {
      type: 'file_citation',
      file_id: file.fileId,
      filename: file.filename,
      index: start,
      quote,
      page_number: page,
    });
  }
  return [...annotations.values()];
}

function usageOf({ promptTokens, completionTokens }: Usage): ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + completionTokens,
  };
}
