import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { admitBase, BaseRefused } from '../providers/address-guard.js';
import { providerFetch, trustedFetch, type Fetch } from '../providers/fetch.js';
import { ConfiguredModel, modelOf } from './configured-model.js';
import type { LanguageModel } from './language-model.js';
import { withConfig, type LlmConfig } from './model-settings.js';

/** Builds the language model of a request: the configured model with the request's `llm_config` applied. */
@Injectable()
export class LanguageModels {
  /** The placeholder for requests without a model (`extractive`). Every request may choose it. */
  readonly none: LanguageModel;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly configured: ConfiguredModel,
  ) {
    const own = configured.environment.settings;
    this.none = modelOf(withConfig(own, { model: 'extractive', sampling: {} }), trustedFetch);
  }

  /**
   * Returns the model of one request.
   * @throws Invalid when `llm_config` names a forbidden address, or a provider without the required key or address.
   */
  async for(config: LlmConfig | null): Promise<LanguageModel> {
    const { model, settings, fetch } = await this.configured.get();
    if (config === null) return model;
    const merged = withConfig(settings, config);
    return modelOf(merged, merged.foreignBase ? await this.admitted(merged.apiBase ?? '') : fetch);
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
