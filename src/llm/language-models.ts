import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Invalid } from '../errors/index.js';
import { admitBase, BaseRefused } from '../providers/address-guard.js';
import { providerFetch, trustedFetch, type Fetch } from '../providers/fetch.js';
import { ExtractiveModel } from './extractive/extractive-model.js';
import type { LanguageModel } from './language-model.js';
import { configuredModel, withConfig, type LlmConfig, type ModelSettings } from './model-settings.js';
import { OpenAiModel } from './openai-model.js';

/** Makes language models from the service's settings and from what requests bring. */
@Injectable()
export class LanguageModels {
  private readonly modelSettings: ModelSettings;

  /** The model that LLM_* configures. */
  readonly configured: LanguageModel;
  /** The embedded default, which every request can name. */
  readonly embedded: LanguageModel;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    this.modelSettings = configuredModel(settings);
    this.configured = make(this.modelSettings);
    this.embedded = make(withConfig(this.modelSettings, { model: 'extractive', sampling: {} }));
  }

  /**
   * The model of one request.
   * @throws Invalid when `llm_config` asks for an address, a provider or a key that it may not have.
   */
  async for(config: LlmConfig | null): Promise<LanguageModel> {
    if (config === null) return this.configured;
    const merged = withConfig(this.modelSettings, config);
    return make(merged, merged.foreignBase ? await this.admitted(merged.apiBase ?? '') : trustedFetch);
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

function make(settings: ModelSettings, fetch = trustedFetch): LanguageModel {
  return settings.provider === 'extractive'
    ? new ExtractiveModel(settings)
    : new OpenAiModel(settings, fetch);
}
