import { ProviderFailed } from '../errors/index.js';
import type { TextPiece } from './reasoning/reasoning-splitter.js';
import type { JsonSchema } from './structured/json-schema.js';

/** The provider does not take the response format that was asked for; a plainer one may do. */
export class ResponseFormatRefused extends ProviderFailed {}

/** The provider does not take functions with this model; without them it may answer. */
export class ToolsRefused extends ProviderFailed {}

/**
 * The port to a completion model, and the token under which the configured one is injected. Instances are bound to one
 * model and its settings and hold no request state.
 */
export abstract class LanguageModel {
  /** Prefix of the LiteLLM-style name: `openai`, `ollama`, `extractive`, ... */
  abstract readonly provider: string;
  /** Name as the provider knows it. */
  abstract readonly name: string;
  /** Tokens that prompt and completion may take together. */
  abstract readonly contextWindow: number;
  /** Whether images may be part of a message. */
  abstract readonly vision: boolean;
  /** Cap on a completion from the settings, for requests that name none. */
  abstract readonly maxTokens: number | null;

  /** Tokens of a text for this model; for tokenizers that are not at hand an estimate on the safe side. */
  abstract countTokens(text: string): number;

  /**
   * Whether it could answer now, found out without a completion.
   * @throws ProviderFailed, TooManyRequests or DeadlineExceeded.
   */
  abstract check(): Promise<void>;

  /**
   * @throws ProviderFailed, TooManyRequests or DeadlineExceeded after retries; the reason of the signal of the
   *   present request or job when it is aborted.
   */
  abstract complete(request: CompletionRequest): Promise<Completion>;

  /** As `complete`, piece by piece. A failure before the first delta has been retried; one after it has not. */
  abstract stream(request: CompletionRequest): AsyncIterable<CompletionEvent>;
}

/** A part of a user message: text, or an image as a data URI. */
export type ContentPart =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly dataUri: string };

export interface ChatMessage {
  /** `tool`: what a function returned. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** A string, or parts when the message carries images. */
  readonly content: string | readonly ContentPart[];
  /** What the assistant asked for. */
  readonly toolCalls?: readonly ToolCall[];
  /** The call that a tool's message answers. */
  readonly toolCallId?: string;
}

/** A function of the caller that the model may ask it to call. */
export interface FunctionTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of its arguments; null: it takes none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** Whether arguments are held to the schema; null leaves it to the provider. */
  readonly strict: boolean | null;
}

/** The functions that a request offers, and what it says about their use; null is left to the provider. */
export interface ToolUse {
  readonly functions: readonly FunctionTool[];
  readonly choice: 'none' | 'auto' | 'required' | null;
  /** Whether an answer may have several calls. */
  readonly parallel: boolean | null;
}

/** A call that a model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** A piece of the call at an index of an answer: id and name come once, the arguments bit by bit. */
export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** The calls that the pieces of a stream make. */
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

/** What form the answer is asked in; a provider may not know the forms beyond `text`. */
export type ResponseFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'schema'; readonly schema: JsonSchema };

export interface CompletionRequest {
  readonly messages: readonly ChatMessage[];
  readonly format: ResponseFormat;
  readonly tools?: ToolUse;
  /** Cap on the completion in tokens; null leaves it to the provider. */
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
  /** What the model thought before it answered, where it is shown; empty otherwise. */
  readonly reasoning: string;
  /** The text is the model's word that it will not answer; absent otherwise. */
  readonly refused?: boolean;
  /** What the model asks for before it answers; absent when it asks for nothing. */
  readonly toolCalls?: readonly ToolCall[];
  readonly usage: Usage;
  /** `stop`, `length`, `content_filter`, ...; null when the provider does not say. */
  readonly finishReason: string | null;
}

/** A stream is any number of pieces, of text, reasoning and calls, and then exactly one end; a failure is thrown. */
export type CompletionEvent =
  | TextPiece
  | { readonly type: 'calls'; readonly deltas: readonly ToolCallDelta[] }
  | { readonly type: 'end'; readonly usage: Usage; readonly finishReason: string | null };
