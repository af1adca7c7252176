import type { PlaceOf } from '../errors/index.js';
import type { ChatMessage, ToolCall, ToolCallDelta, ToolUse } from '../models/llm/language-model.js';
import type { LlmConfig } from '../models/llm/model-settings.js';
import type { JsonSchema } from '../models/llm/structured/json-schema.js';
import type { RetrieveRequest } from '../retrieval/retrieval.types.js';
import type { PromptOverridesDto } from '../query/prompt-overrides.dto.js';
import type { CompletionDto, CompletionSourceDto } from '../query/query-response.dto.js';

export interface QueryRequest {
  readonly retrieval: RetrieveRequest;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  readonly promptOverrides: PromptOverridesDto | null;
  readonly schema: JsonSchema | null;
  readonly chatId: string | null;
  /** Position of the chat turn that the question replaces, together with all later turns; null: it replaces no turn. */
  readonly replaceFrom: number | null;
  /** Search options as the client sent them, to be stored with the chat. */
  readonly search: object;
  /** The conversation in the request. If it is not empty, it is used instead of the stored conversation. */
  readonly conversation: readonly ChatMessage[];
  /** Images that accompany the text of the question, as data URIs. */
  readonly images: readonly string[];
  /** Messages after the question: function calls and their results. */
  readonly sinceQuestion: readonly ChatMessage[];
  readonly tools: ToolUse | null;
  /**
   * Name of the function that the answer calls with arguments in the format of `schema`; null: the answer calls no
   * function.
   */
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

/** The completion. It has function calls only if the request offered functions, which POST /query does not allow. */
export type Completed = CompletionDto & { readonly tool_calls?: readonly ToolCall[] };

/**
 * An event of a stream (`stream_response: true`). A failure is thrown; the sender of the events converts it to an
 * `error` event.
 */
export type StreamEvent =
  | { readonly type: 'sources'; readonly sources: readonly CompletionSourceDto[] }
  | { readonly type: 'assistant'; readonly content: string }
  | { readonly type: 'reasoning'; readonly content: string }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | ({ readonly type: 'done'; readonly completion?: unknown } & Omit<Completed, 'completion'>);
