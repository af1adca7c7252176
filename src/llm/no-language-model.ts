import { Invalid, ProviderFailed, type Location } from '../errors/index.js';
import { LanguageModel } from './language-model.js';
import { countTokens } from './message-tokens.js';
import type { ModelSettings } from './model-settings.js';

/** What to do about a model that is missing. */
const NEEDED = 'needs a language model: set LLM_MODEL, or name one in llm_config where a request takes it';

/**
 * Stands where no language model is configured (`LLM_MODEL=extractive`). Questions are then answered with the best
 * passages, which asks nothing of it; whatever else asks it fails.
 */
export class NoLanguageModel extends LanguageModel {
  readonly provider = 'extractive';
  readonly name = 'extractive';
  readonly vision = false;
  /** Of the passages that an answer is chosen from. */
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
    // There is nothing that could be out of reach.
  }

  complete(): Promise<never> {
    return Promise.reject(new ProviderFailed(`This ${NEEDED}`));
  }

  stream(): AsyncIterable<never> {
    throw new ProviderFailed(`This ${NEEDED}`);
  }
}

/** @throws Invalid at each place that asks for what only a language model can do, when there is none. */
export function requireLanguageModel(model: LanguageModel, places: readonly Location[]): void {
  if (!(model instanceof NoLanguageModel) || places.length === 0) return;
  throw new Invalid(places.map((loc) => ({ loc, msg: `Value error, ${NEEDED}`, type: 'value_error' })));
}
