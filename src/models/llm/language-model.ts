import { ProviderFailed } from '../../errors/index.js';
import type { TextPiece } from './reasoning/reasoning-splitter.js';
import type { JsonSchema } from './structured/json-schema.js';

/** The provider does not support the requested response format. A simpler format may work. */
export class ResponseFormatRefused extends ProviderFailed {}

/** The provider does not support tools with this model. A request without tools may work. */
export class ToolsRefused extends ProviderFailed {}

/**
 * Interface to a completion model. An instance has one model with its settings, and keeps no state between requests.
 */
export abstract class LanguageModel {
  /** Prefix of the LiteLLM-style name: `openai`, `ollama`, `extractive`, ... */
  abstract readonly provider: string;
  /** Name of the model at its provider. */
  abstract readonly name: string;
  /** Maximum tokens of prompt and completion together. */
  abstract readonly contextWindow: number;
  /** Whether a message may contain images. */
  abstract readonly vision: boolean;
  /** Default token limit of a completion, for requests that set no limit. */
  abstract readonly maxTokens: number | null;

  /** Counts the tokens of a text. Overestimates when the model's tokenizer is not available. */
  abstract countTokens(text: string): number;

  /**
   * Checks that the provider is reachable. Does not request a completion.
   * @throws ProviderFailed, TooManyRequests or DeadlineExceeded.
   */
  abstract check(): Promise<void>;

  /**
   * @throws ProviderFailed, TooManyRequests or DeadlineExceeded after retries; the abort reason when the current
   *   request or job is aborted.
   */
  abstract complete(request: CompletionRequest): Promise<Completion>;

  /** Streams a completion. Retries a failure only if it occurs before the first delta. */
  abstract stream(request: CompletionRequest): AsyncIterable<CompletionEvent>;
}

/** Returns the LiteLLM-style name of a model: `provider/name`, or `extractive`. */
export function modelId({ provider, name }: Pick<LanguageModel, 'provider' | 'name'>): string {
  return provider === name ? name : `${provider}/${name}`;
}

/** A part of a user message: text, or an image as a data URI. */
export type ContentPart =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly dataUri: string };

export interface ChatMessage {
  /** `tool`: the result of a tool call. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** A string, or parts when the message carries images. */
  readonly content: string | readonly ContentPart[];
  readonly toolCalls?: readonly ToolCall[];
  /** Identifier of the call whose result a tool message contains. */
  readonly toolCallId?: string;
}

export function messageText({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The images of a message as data URIs. */
export function messageImages({ content }: Pick<ChatMessage, 'content'>): string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'image' ? [part.dataUri] : []));
}

/** A function that the model may ask the client to run. */
export interface FunctionTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null: no arguments. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** Whether arguments must match the schema; null: the provider's default. */
  readonly strict: boolean | null;
}

/** The functions of a request and the rules for their use. A null rule means the provider's default. */
export interface ToolUse {
  readonly functions: readonly FunctionTool[];
  readonly choice: 'none' | 'auto' | 'required' | null;
  /** Whether an answer may contain several calls. */
  readonly parallel: boolean | null;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text from the model, unchecked. */
  readonly arguments: string;
}

/**
 * A fragment of a tool call, identified by the index of the call in the answer. `id` and `name` arrive once, and the
 * arguments arrive in fragments.
 */
export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** Assembles the calls of a stream from their fragments. */
export function joinToolCalls(deltas: readonly ToolCallDelta[]): ToolCall[] {
  const calls = new Map<number, ToolCall>();
  for (const { index, id, name, arguments: piece } of deltas) {
    const begun = calls.get(index) ?? { id: '', name: '', arguments: '' };
    calls.set(index, {
      id: id ?? begun.id,
      name: name ?? begun.name,
      arguments: begun.arguments + piece,
    });
  }
  return [...calls.values()];
}

/** The requested format of the answer. A provider may support `text` only. */
export type ResponseFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'schema'; readonly schema: JsonSchema };

export interface CompletionRequest {
  readonly messages: readonly ChatMessage[];
  readonly format: ResponseFormat;
  readonly tools?: ToolUse;
  /** Token limit of the completion; null: the provider's default. */
  readonly maxTokens: number | null;
  /** null: not sent. */
  readonly temperature: number | null;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}

export interface Completion {
  /** The answer, without reasoning. */
  readonly text: string;
  /** The model's reasoning; empty when the provider sends no reasoning. */
  readonly reasoning: string;
  /** Whether the text is a refusal to answer; absent if it is not. */
  readonly refused?: boolean;
  /** Tool calls requested instead of an answer; absent when there are none. */
  readonly toolCalls?: readonly ToolCall[];
  readonly usage: Usage;
  /** `stop`, `length`, `content_filter`, ...; null when the provider sends no reason. */
  readonly finishReason: string | null;
}

/**
 * A stream yields pieces of text, reasoning, calls and of a refusal, then exactly one `end`. A failure is thrown. The
 * arguments of a call arrive in one piece, because they may be repaired.
 */
export type CompletionEvent =
  | TextPiece
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | { readonly type: 'end'; readonly usage: Usage; readonly finishReason: string | null };
