import { ProviderFailed } from '../errors/index.js';
import type { Completion, CompletionEvent, CompletionRequest } from './completion.js';

/** The provider does not take the response format that was asked for; a plainer one may do. */
export class ResponseFormatRefused extends ProviderFailed {}

/** The port to a completion model. Instances are bound to one model and its settings and hold no request state. */
export abstract class LanguageModel {
  /** Prefix of the LiteLLM-style name: `openai`, `ollama`, `extractive`, ... */
  abstract readonly provider: string;
  /** Name as the provider knows it. */
  abstract readonly name: string;
  /** Tokens that prompt and completion may take together. */
  abstract readonly contextWindow: number;
  /** Whether images may be part of a message. */
  abstract readonly vision: boolean;
  /**
   * Whether it follows instructions in a prompt. The embedded default does not: it only answers from passages, so a
   * step that needs an instruction followed takes another way or refuses.
   */
  abstract readonly followsInstructions: boolean;
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
