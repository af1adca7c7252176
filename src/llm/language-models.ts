import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Invalid } from '../errors/index.js';
import { admitBase, BaseRefused } from '../providers/address-guard.js';
import { providerFetch, trustedFetch, type Fetch } from '../providers/fetch.js';
import { LanguageModel } from './language-model.js';
import { configuredModel, withConfig, type LlmConfig, type ModelSettings } from './model-settings.js';
import { NoLanguageModel } from './no-language-model.js';
import { OpenAiModel } from './openai-model.js';

/** Builds the language model of a request: the configured model with the request's `llm_config` applied. */
@Injectable()
export class LanguageModels {
  private readonly modelSettings: ModelSettings;

  /** The placeholder without a model (`extractive`), available to every request. */
  readonly none: LanguageModel;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly configured: LanguageModel,
  ) {
    this.modelSettings = configuredModel(settings);
    this.none = modelOf(withConfig(this.modelSettings, { model: 'extractive', sampling: {} }), trustedFetch);
  }

  /**
   * Returns the model of one request.
   * @throws Invalid when `llm_config` names a forbidden address, or a provider without the required key or address.
   */
  async for(config: LlmConfig | null): Promise<LanguageModel> {
    if (config === null) return this.configured;
    const merged = withConfig(this.modelSettings, config);
    return modelOf(merged, merged.foreignBase ? await this.admitted(merged.apiBase ?? '') : trustedFetch);
  }

  private async admitted(base: string): Promise<Fetch> {
    try {
      const pinned = await admitBase(base, this.settings.LLM_ALLOWED_BASES);
      return pinned === null ? trustedFetch : providerFetch(pinned);
    } catch (error) {
      if (error instanceof BaseRefused) throw Invalid.at(['body', 'llm_config', 'api_base'], error.message);
      throw error;
    }
  }
}

/** Builds the model from the LLM_* settings. @throws ConfigurationError when the provider needs LLM_API_BASE. */
export function configuredLanguageModel(settings: Settings): LanguageModel {
  return modelOf(configuredModel(settings), trustedFetch);
}

/** @param fetch sends requests to the provider and enforces the allowed addresses. */
function modelOf(settings: ModelSettings, fetch: Fetch): LanguageModel {
  return settings.provider === 'extractive'
    ? new NoLanguageModel(settings)
    : new OpenAiModel(settings, fetch);
}
