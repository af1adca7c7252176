import { Invalid, type Location } from '../errors/index.js';
import type { ChatMessage, ToolCall, ToolCallDelta, ToolUse } from '../llm/language-model.js';
import type { LlmConfig } from '../llm/model-settings.js';
import type { JsonSchema } from '../llm/structured/json-schema.js';
import type { RetrieveRequest } from '../retrieval/retrieval.types.js';
import type { PromptOverridesDto } from './prompt-overrides.dto.js';
import type { CompletionDto, CompletionSourceDto } from './query-response.dto.js';

export interface QueryRequest {
  readonly retrieval: RetrieveRequest;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  readonly promptOverrides: PromptOverridesDto | null;
  readonly schema: JsonSchema | null;
  readonly chatId: string | null;
  /** Position of the chat's turn that the question replaces together with all later turns; null: none. */
  readonly replaceFrom: number | null;
  /** Search options as in the request, to keep with the chat. */
  readonly search: object;
  /** A conversation sent by the caller; replaces the stored one. */
  readonly conversation: readonly ChatMessage[];
  /** Images beside the text of the question, as data URIs. */
  readonly images: readonly string[];
  /** Messages after the question: function calls and their results. */
  readonly sinceQuestion: readonly ChatMessage[];
  readonly tools: ToolUse | null;
  /** Name of the function whose arguments are answered in the format of `schema`. */
  readonly calledAs: string | null;
  readonly llmConfig: LlmConfig | null;
  readonly inlineCitations: boolean;
  /** Whether a stream has reasoning events. */
  readonly streamsReasoning: boolean;
  /** Whether a stream starts with the sources. */
  readonly streamsSources: boolean;
  /** Whether the response includes the retrieval plan. */
  readonly explain: boolean;
  readonly placeOf: PlaceOf;
}

/** The completion; with function calls if the request offered functions, which POST /query cannot. */
export type Completed = CompletionDto & { readonly tool_calls?: readonly ToolCall[] };

/** An event of `stream_response: true`. The sender turns a failure after the first event into an `error` event. */
export type StreamEvent =
  | { readonly type: 'sources'; readonly sources: readonly CompletionSourceDto[] }
  | { readonly type: 'assistant'; readonly content: string }
  | { readonly type: 'reasoning'; readonly content: string }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | ({ readonly type: 'done'; readonly completion?: unknown } & Omit<Completed, 'completion'>);

/**
 * Maps a location in the format of POST /query to where the client sent the value. Services report the former; clients
 * need the latter.
 */
export type PlaceOf = (place: Location) => Location;

export const AS_IT_STANDS: PlaceOf = (place) => place;

/** The error with its locations mapped to the client's request. */
export function relocated(error: unknown, placeOf: PlaceOf): unknown {
  if (!(error instanceof Invalid) || placeOf === AS_IT_STANDS) return error;
  return new Invalid(error.items.map((item) => ({ ...item, loc: placeOf(item.loc) })));
}
