import type { LlmConfig } from '../llm/model-settings.js';
import type { JsonSchema } from '../llm/structured/json-schema.js';
import type { PromptOverrides } from './prompt/prompt-overrides.js';
import type { Turn } from './conversation/history.js';
import type { Entity } from './entities/entity.js';
import type { CitationEntry } from './citations/citations.js';
import type { PlaceOf } from './relocation.js';
import type { RetrievalPlan, RetrieveRequest } from '../retrieval/retrieval.types.js';

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
