import { Invalid, type Location } from '../errors/index.js';
import type { ChatMessage, ToolCall, ToolCallDelta, ToolUse } from '../llm/language-model.js';
import type { LlmConfig } from '../llm/model-settings.js';
import type { JsonSchema } from '../llm/structured/json-schema.js';
import type { RetrieveRequest } from '../retrieval/retrieval.types.js';
import type { PromptOverridesDto } from './prompt-overrides.dto.js';
import type { CompletionDto } from './query-response.dto.js';

export interface QueryRequest {
  readonly retrieval: RetrieveRequest;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  readonly promptOverrides: PromptOverridesDto | null;
  readonly schema: JsonSchema | null;
  readonly chatId: string | null;
  /** A conversation that the caller brings along; it takes the place of what is stored. */
  readonly conversation: readonly ChatMessage[];
  /** What came after the question: calls that the model asked for, and what they returned. */
  readonly sinceQuestion: readonly ChatMessage[];
  readonly tools: ToolUse | null;
  /** The function as whose arguments an answer in the shape of `schema` is given. */
  readonly calledAs: string | null;
  readonly llmConfig: LlmConfig | null;
  readonly inlineCitations: boolean;
  /** Whether a stream has the reasoning of the model as events of its own. */
  readonly streamsReasoning: boolean;
  /** Whether the answer tells how the search was done. */
  readonly explain: boolean;
  readonly placeOf: PlaceOf;
}

/** The answer; with calls where the request offered functions, which POST /query does not. */
export type Completed = CompletionDto & { readonly tool_calls?: readonly ToolCall[] };

/** An event of `stream_response: true`. A failure after the first one becomes `error`, which the sender writes. */
export type StreamEvent =
  | { readonly type: 'assistant'; readonly content: string }
  | { readonly type: 'reasoning'; readonly content: string }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | ({ readonly type: 'done'; readonly completion?: unknown } & Omit<Completed, 'completion'>);

/**
 * Where the client wrote the value that stands at a place of POST /query in its usual spelling: services know values by
 * that place, and clients know what they sent.
 */
export type PlaceOf = (place: Location) => Location;

export const AS_IT_STANDS: PlaceOf = (place) => place;

/** The error with the places of what the client sent. */
export function relocated(error: unknown, placeOf: PlaceOf): unknown {
  if (!(error instanceof Invalid) || placeOf === AS_IT_STANDS) return error;
  return new Invalid(error.items.map((item) => ({ ...item, loc: placeOf(item.loc) })));
}
