import { randomUUID } from 'node:crypto';
import type { ToolCall } from '../../models/llm/language-model.js';
import type { Answer } from '../../answering/answering.service.js';
import type { Draft } from './draft.service.js';
import { annotationsOf, resultOf } from './file-search.service.js';
import { itemId } from './item-ids.js';
import type { FileCitation, FileSearchCallItem, FunctionCallItem, ItemStatus, MessageItem } from './items.js';
import { type ResponseState, usageOf } from './response-object.js';

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
export function concludedState(draft: Draft, answer: Answer, output: ResponseState['output']): ResponseState {
  const { status, incomplete_details } = conclusionOf(answer);
  return {
    status,
    completed_at: status === 'completed' ? Math.floor(Date.now() / 1_000) : null,
    error: null,
    incomplete_details,
    output,
    usage: usageOf(
      draft.usage.promptTokens + answer.usage.promptTokens,
      draft.usage.completionTokens + answer.usage.completionTokens,
    ),
    ...(answer.notes === undefined ? {} : { notes: answer.notes }),
  };
}

/** Builds the items of a response's output. The id of each item contains the next position. */
export class OutputBuilder {
  private next = 0;

  constructor(private readonly draft: Draft) {}

  /** The item of the file search; null if nothing was searched. */
  fileSearchCall(): FileSearchCallItem | null {
    const { fileSearch, dto } = this.draft;
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
    return itemId(type, this.draft.stamp.id, 'o', index);
  }
}

export function messageItem(
  id: string,
  status: ItemStatus,
  text: string,
  annotations: readonly FileCitation[],
): MessageItem {
  return {
    id,
    type: 'message',
    role: 'assistant',
    status,
    content: [{ type: 'output_text', text, annotations, logprobs: [] }],
  };
}

export function citationsOf({ fileSearch }: Draft, answer: Answer): FileCitation[] {
  return annotationsOf(answer.citations, fileSearch?.passages ?? []);
}

/** Whether an answer contains a message. An answer contains a message if it has text, or has neither text nor calls. */
export function hasMessage(answer: Answer): boolean {
  return textOf(answer) !== '' || callsOf(answer).length === 0;
}

export function callsOf({ toolCalls = [] }: Answer): readonly ToolCall[] {
  return toolCalls;
}
