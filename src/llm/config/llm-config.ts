import type { Sampling } from '../model-settings.js';

/** `llm_config` of a request, validated; absent members leave the configured model's as they are. */
export interface LlmConfig {
  readonly model?: string;
  readonly apiKey?: string;
  readonly apiBase?: string;
  readonly apiVersion?: string;
  readonly deployment?: string;
  readonly maxTokens?: number;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly extraHeaders?: Readonly<Record<string, string>>;
  readonly vision?: boolean;
  readonly contextWindow?: number;
  readonly sampling: Sampling;
}
