import { Invalid, ProviderFailed, type Location } from '../errors/index.js';
import { LanguageModel } from './language-model.js';
import { countTokens } from './message-tokens.js';
import type { ModelSettings } from './model-settings.js';

const NEEDED = 'needs a language model: set LLM_MODEL, or llm_config in the request';

/**
 * Placeholder without a language model (`LLM_MODEL=extractive`). Answers then consist of the best passages, without a
 * completion. Every completion fails.
 */
export class NoLanguageModel extends LanguageModel {
  readonly provider = 'extractive';
  readonly name = 'extractive';
  readonly vision = false;
  /** Token budget of the passages of an extractive answer. */
  readonly contextWindow: number;
  readonly maxTokens: number | null;

  constructor({ contextWindow, maxTokens }: Pick<ModelSettings, 'contextWindow' | 'maxTokens'>) {
    super();
    this.contextWindow = contextWindow;
    this.maxTokens = maxTokens;
  }

  countTokens(text: string): number {
    return countTokens(text);
  }

  async check(): Promise<void> {
    // Nothing to reach.
  }

  complete(): Promise<never> {
    return Promise.reject(new ProviderFailed(`This ${NEEDED}`));
  }

  stream(): AsyncIterable<never> {
    throw new ProviderFailed(`This ${NEEDED}`);
  }
}

/** @throws Invalid at each of `places`, the fields that need a language model, when none is configured. */
export function requireLanguageModel(model: LanguageModel, places: readonly Location[]): void {
  if (!(model instanceof NoLanguageModel) || places.length === 0) return;
  throw new Invalid(places.map((loc) => ({ loc, msg: `Value error, ${NEEDED}`, type: 'value_error' })));
}
