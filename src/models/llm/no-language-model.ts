import { Invalid, ProviderFailed, type Location } from '../../errors/index.js';
import { LanguageModel } from './language-model.js';
import { countTokens } from './prompt-parts.js';
import type { ModelSettings } from './model-settings.js';

const NEEDED = 'needs a language model: set LLM_MODEL';
const OR_IN_REQUEST = `${NEEDED}, or llm_config in the request`;

/** Name of no model, whose answers consist of quotations. */
export const EXTRACTIVE = 'extractive';

/**
 * Placeholder for a service without a language model (`LLM_MODEL=extractive`). Answers are then quotations from the
 * best passages, and every completion fails.
 */
export class NoLanguageModel extends LanguageModel {
  readonly provider = EXTRACTIVE;
  readonly name = EXTRACTIVE;
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
    // There is no provider to reach.
  }

  complete(): Promise<never> {
    return Promise.reject(new ProviderFailed(`This ${OR_IN_REQUEST}`));
  }

  stream(): AsyncIterable<never> {
    throw new ProviderFailed(`This ${OR_IN_REQUEST}`);
  }
}

/**
 * Rejects the fields of a request that need a language model, if there is none.
 * @param places locations of the fields that need a language model
 * @param mayName whether the request can name a model in `llm_config`
 * @throws Invalid at each of `places` if there is no language model.
 */
export function requireLanguageModel(
  model: LanguageModel,
  places: readonly Location[],
  mayName = true,
): void {
  if (!(model instanceof NoLanguageModel) || places.length === 0) return;
  const msg = `Value error, ${mayName ? OR_IN_REQUEST : NEEDED}`;
  throw new Invalid(places.map((loc) => ({ loc, msg, type: 'value_error' })));
}
