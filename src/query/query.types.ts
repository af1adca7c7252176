import type { Search, Turn } from '../answering/turn.js';
import type { AnswerSource } from '../answering/citations/source.js';
import type { KnownState } from '../chats/chat.repository.js';
import type { PlaceOf } from '../errors/index.js';
import type { ToolCall, ToolCallDelta } from '../models/llm/language-model.js';
import type { CompletionDto } from './query-response.dto.js';

export interface ContinuedChat extends KnownState {
  readonly id: string;
}

/** A question from POST /query, from a chat completion, or from the tool `ask`. */
export interface QueryRequest {
  /** The turn. If its history is empty, the stored conversation of the chat is its history. */
  readonly turn: Turn & { readonly search: Search };
  /** null: the answer is not stored. */
  readonly chat: ContinuedChat | null;
  /** Search options as the client sent them, to be stored with the chat. */
  readonly options: object;
  readonly streamsReasoning: boolean;
  /** Whether a stream starts with the sources. */
  readonly streamsSources: boolean;
  readonly showsPlan: boolean;
  /** Maps a location in a request of POST /query to the location in this request. */
  readonly placeOf: PlaceOf;
}

/** The completion. It has function calls only if the request offered functions, which POST /query does not allow. */
export type Completed = CompletionDto & { readonly tool_calls?: readonly ToolCall[] };

/**
 * An event of a stream (`stream_response: true`). A failure is thrown; the sender of the events converts it to an
 * `error` event.
 */
export type StreamEvent =
  | { readonly type: 'sources'; readonly sources: readonly AnswerSource[] }
  /** `refused`: the text is part of a refusal. */
  | { readonly type: 'assistant'; readonly content: string; readonly refused?: true }
  | { readonly type: 'reasoning'; readonly content: string }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | ({ readonly type: 'done'; readonly completion?: unknown } & Omit<Completed, 'completion'>)
  /** The end of an answer that its caller stopped. `message_index`: where its chat has the text so far. */
  | { readonly type: 'stopped'; readonly message_index?: number; readonly chat_revision?: number };
