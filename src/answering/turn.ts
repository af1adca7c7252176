import type { ChatMessage, ToolCall, ToolCallDelta, ToolUse, Usage } from '../models/llm/language-model.js';
import type { LlmConfig } from '../models/llm/model-settings.js';
import type { JsonSchema } from '../models/llm/structured/json-schema.js';
import type { RetrievalPlan, RetrievedChunk, RetrieveRequest } from '../retrieval/retrieval.types.js';
import type { CitationEntry, CitationForm } from './citations/citations.js';
import type { Entity, EntityPrompt } from './entities/entity.js';

/**
 * What a turn searches, and how. The search uses the turn's question, rewritten so that it is understood without the
 * conversation. If `queryImage` is set, it uses this image instead.
 */
export type Search = Omit<
  RetrieveRequest,
  'query' | 'outputFormat' | 'lexicalExpansion' | 'withScoreComponents'
>;

/** Texts of the caller that replace parts of the prompts. null: the default. */
export interface Prompts {
  readonly instructions: string | null;
  /** Template with `{question}` and `{context}`. */
  readonly template: string | null;
  readonly extraction: EntityPrompt | null;
  readonly resolution: EntityPrompt | null;
}

/** A turn of a conversation that is to be answered. */
export interface Turn {
  /** The message of the user; null: an image is the question, or the conversation has no message of the user. */
  readonly question: ChatMessage['content'] | null;
  /** The conversation before the question, oldest first. Only as much as fits is used. */
  readonly history: readonly ChatMessage[];
  /** Messages after the question: function calls and their results. */
  readonly sinceQuestion: readonly ChatMessage[];
  /** null: nothing is searched, and the model answers from the conversation. */
  readonly search: Search | null;
  /** Form of the citations. An answer in JSON has none, because markers would become part of its values. */
  readonly citations: CitationForm;
  /** Settings that override those of the configured model; null: the configured model. */
  readonly llmConfig: LlmConfig | null;
  readonly prompts: Prompts;
  /** Maximum number of tokens of the answer; null: the limit of the model. */
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  /** The answer is a value that is valid against this schema; null: it is a text. */
  readonly schema: JsonSchema | null;
  readonly tools: ToolUse | null;
  /**
   * Name of the function that the answer calls with arguments in the format of `schema`; null: the answer calls no
   * particular function.
   */
  readonly calledAs: string | null;
  /** Whether passages are quoted if the model fails before the first word of its answer. */
  readonly quotesOnFailure: boolean;
}

/** What an answer is made from. */
export interface Evidence {
  /** Name and provider of the model. */
  readonly model: string;
  readonly provider: string;
  /** The searched text; empty if an image or nothing was searched. */
  readonly searched: string;
  /** All passages found, best first. */
  readonly found: readonly RetrievedChunk[];
  /** The passages in the prompt, in order. */
  readonly passages: readonly RetrievedChunk[];
  /** Number of passages that were omitted, because they do not fit into the context window. */
  readonly dropped: number;
  /** The search plan of the retrieval; null: nothing was searched. */
  readonly plan: RetrievalPlan | null;
  /** Entities of the question; null: they were not requested. */
  readonly entities: readonly Entity[] | null;
}

/** A part of a text that repeats a document. Offsets are UTF-16 code units; `end` is exclusive. */
export interface QuotedPart {
  readonly start: number;
  readonly end: number;
  readonly document_id: string;
}

/** The text of an answer with its citations, or a value in the format of the schema. */
export interface Written {
  /** The text, or the value. */
  readonly completion: unknown;
  /** The text, or the value as JSON. */
  readonly text: string;
  /** Reasoning of the model before its answer; empty if the provider returns no reasoning. */
  readonly reasoning: string;
  readonly usage: Usage;
  readonly finishReason: string | null;
  readonly citations: readonly CitationEntry[];
  /** Parts of the text that repeat a document word for word. Set only without a language model. */
  readonly quotations?: readonly QuotedPart[];
  /** Whether the model refused to answer, so that the completion is the text of its refusal; absent if it did not. */
  readonly refused?: boolean;
  /** Calls of the caller's functions; absent if there are none. */
  readonly toolCalls?: readonly ToolCall[];
  /** Whether the passages answer the question. Set only without a language model. */
  readonly answered?: boolean;
  /** Why the model failed, if passages are quoted in place of its answer. */
  readonly modelFailure?: string;
  /** Words of the question that the quoted passages do not contain. Set only without a language model. */
  readonly missingWords?: readonly string[];
  /** Notes on failed steps, and on features of the request that were not used. */
  readonly notes: readonly string[];
}

/** A complete answer. The usage is the sum over all model calls of the turn. */
export interface Answer extends Written {
  readonly evidence: Evidence;
  /** Number of selected documents that are still being ingested, and therefore were not searched. */
  readonly processing: number;
}

/**
 * A piece of an answer. A `retraction` means that all earlier deltas were reasoning, and not part of the answer. A delta
 * has all citations so far.
 */
export type AnswerPiece =
  | {
      readonly type: 'delta';
      readonly text: string;
      readonly citations: readonly CitationEntry[];
      readonly quotations?: readonly QuotedPart[];
      readonly refused?: boolean;
    }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'retraction' }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] };

/**
 * An event of a streamed answer: `prepared` first, then pieces, then exactly one `end`. A second `prepared` follows if
 * passages are quoted after the model has failed. A failure is thrown.
 */
export type AnswerEvent =
  | { readonly type: 'prepared'; readonly evidence: Evidence }
  | AnswerPiece
  | { readonly type: 'end'; readonly answer: Answer };
