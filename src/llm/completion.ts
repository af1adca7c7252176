import type { ChunkContext } from '../lexical/chunk-context.js';
import type { JsonSchema } from './structured/json-schema.js';

/** A part of a user message: text, or an image as a data URI. */
export type ContentPart =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly dataUri: string };

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  /** A string, or parts when the message carries images. */
  readonly content: string | readonly ContentPart[];
}

/** What form the answer is asked in; a provider may not know the forms beyond `text`. */
export type ResponseFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'schema'; readonly schema: JsonSchema };

/** A retrieved passage with the number under which it may be cited. */
export interface Passage {
  /** 1-based, in the order given to the model. */
  readonly number: number;
  readonly text: string;
  /** What the text stands under: a title, headings, the head of a table. */
  readonly context: ChunkContext;
  /** In [0, 1]; 0 for padding. */
  readonly score: number;
}

/**
 * The question and its passages apart from the prompt that carries them, so that the embedded default can answer
 * without reading a prompt.
 */
export interface Grounding {
  readonly question: string;
  readonly passages: readonly Passage[];
  /** Whether the answer is to carry citation markers. */
  readonly citations: boolean;
}

export interface CompletionRequest {
  readonly messages: readonly ChatMessage[];
  readonly grounding: Grounding;
  readonly format: ResponseFormat;
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
  readonly text: string;
  /** The text is the model's word that it will not answer; absent otherwise. */
  readonly refused?: boolean;
  readonly usage: Usage;
  /** `stop`, `length`, `content_filter`, ...; null when the provider does not say. */
  readonly finishReason: string | null;
}

/** A stream is any number of deltas and then exactly one end; a failure is thrown. */
export type CompletionEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'end'; readonly usage: Usage; readonly finishReason: string | null };
