import { Invalid, type Location } from '../errors/index.js';
import type { LlmConfig } from '../llm/model-settings.js';
import type { JsonSchema } from '../llm/structured/json-schema.js';
import type { RetrievalPlan, RetrieveRequest } from '../retrieval/retrieval.types.js';
import type { CitationEntry } from './citations/citations.js';
import type { Turn } from './prompt/conversation.js';
import type { Entity } from './entities/entity.js';
import type { PromptOverrides } from './prompt/prompt.js';

/** A validated completion request. */
export interface QueryRequest {
  readonly retrieval: RetrieveRequest;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  readonly promptOverrides: PromptOverrides;
  readonly schema: JsonSchema | null;
  readonly chatId: string | null;
  /** A conversation that the caller brings along; it takes the place of what is stored. */
  readonly conversation: readonly Turn[];
  readonly llmConfig: LlmConfig | null;
  readonly inlineCitations: boolean;
  /** Whether the answer tells how the search was done. */
  readonly explain: boolean;
  readonly placeOf: PlaceOf;
}

/** A chunk that was put before the model, as the wire names it. */
export interface CompletionSource {
  readonly document_id: string;
  readonly chunk_number: number;
  /** null for padding. */
  readonly score: number | null;
}

export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

interface CompletionMetadata {
  readonly model: string;
  readonly provider: string;
  /** Chunks put before the model. */
  readonly context_chunks: number;
  /** Chunks left out to fit the context window. */
  readonly dropped_chunks: number;
  readonly citations?: readonly CitationEntry[];
  readonly entities?: readonly Entity[];
  /** What was left out because a model failed to answer a step before the completion. */
  readonly notes?: readonly string[];
  readonly timings_ms: Readonly<Record<string, number>>;
  /** Of a request that asks to be explained. */
  readonly plan?: RetrievalPlan;
}

/** Body of a successful `POST /query`. */
export interface CompletionResponse {
  readonly completion: unknown;
  readonly usage: CompletionUsage;
  readonly finish_reason: string | null;
  readonly sources: readonly CompletionSource[];
  readonly metadata: CompletionMetadata;
}

/** An event of `stream_response: true`. A failure after the first one becomes `error`, which the sender writes. */
export type StreamEvent =
  | { readonly type: 'assistant'; readonly content: string }
  | ({ readonly type: 'done'; readonly completion?: unknown } & Omit<CompletionResponse, 'completion'>);

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
