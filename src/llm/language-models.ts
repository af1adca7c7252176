import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Invalid } from '../errors/index.js';
import { admitBase, BaseRefused } from '../providers/address-guard.js';
import { providerFetch, trustedFetch, type Fetch } from '../providers/fetch.js';
import { LanguageModel } from './language-model.js';
import { configuredModel, withConfig, type LlmConfig, type ModelSettings } from './model-settings.js';
import { NoLanguageModel } from './no-language-model.js';
import { OpenAiModel } from './openai-model.js';

/** The language models that requests bring: the configured one with their settings over it. */
@Injectable()
export class LanguageModels {
  private readonly modelSettings: ModelSettings;

  /** What stands for no model at all, which every request can name. */
  readonly none: LanguageModel;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly configured: LanguageModel,
  ) {
    this.modelSettings = configuredModel(settings);
    this.none = modelOf(withConfig(this.modelSettings, { model: 'extractive', sampling: {} }), trustedFetch);
  }

  /**
   * The model of one request.
   * @throws Invalid when `llm_config` asks for an address, a provider or a key that it may not have.
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

/** The model that LLM_* configures. @throws ConfigurationError when its provider has no usual address and none is given. */
export function configuredLanguageModel(settings: Settings): LanguageModel {
  return modelOf(configuredModel(settings), trustedFetch);
}

/** @param fetch reaches the provider; decides which addresses may be connected to. */
function modelOf(settings: ModelSettings, fetch: Fetch): LanguageModel {
  return settings.provider === 'extractive'
    ? new NoLanguageModel(settings)
    : new OpenAiModel(settings, fetch);
}
