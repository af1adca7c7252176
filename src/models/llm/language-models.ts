import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { admitBase, BaseRefused } from '../providers/address-guard.js';
import { providerFetch, trustedFetch, type Fetch } from '../providers/fetch.js';
import { Quotas, type Counted } from '../../quotas/quotas.service.js';
import { BoundedModel } from './bounded-model.js';
import { ConfiguredModel, modelOf } from './configured-model.js';
import type { LanguageModel } from './language-model.js';
import { modelAllowanceOf, NOT_FOR_TOKEN, requireAllowed, type ModelAllowance } from './model-allowance.js';
import { NoLanguageModel } from './no-language-model.js';
import { withConfig, type LlmConfig, type ModelSettings } from './model-settings.js';

/** Builds the language model of a request: the configured model with the request's `llm_config` applied. */
@Injectable()
export class LanguageModels {
  /** The placeholder for requests without a model (`extractive`). Every request may choose it. */
  readonly none: LanguageModel;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly configured: ConfiguredModel,
    private readonly quotas: Quotas,
  ) {
    const own = configured.environment.settings;
    this.none = modelOf(withConfig(own, { model: 'extractive', sampling: {} }), trustedFetch);
  }

  /**
   * Returns the model of one request. Its answers are within the allowance of the caller, and its tokens count for the
   * caller's quotas.
   * @param maxTokens `max_tokens` of the request
   * @throws Invalid when `llm_config` names a forbidden address, a provider without the required key or address, or
   * something that the key may not use.
   */
  async for(scope: Scope, config: LlmConfig | null, maxTokens: number | null = null): Promise<LanguageModel> {
    const { model, settings, fetch } = await this.configured.get();
    const allowance = modelAllowanceOf(scope, this.settings);
    const wanted = config === null ? settings : wantedBy(config, settings, allowance);
    requireAllowed(allowance, config, { configured: settings, wanted }, maxTokens);
    if (config === null) return this.bounded(scope, model, allowance);
    const asked = modelOf(wanted, wanted.foreignBase ? await this.admitted(wanted.apiBase ?? '') : fetch);
    return config.apiKey === undefined ? this.bounded(scope, asked, allowance) : asked;
  }

  /** The configured model, whose tokens count for a tenant or a person. */
  async configuredFor(scope: Counted): Promise<LanguageModel> {
    const { model } = await this.configured.get();
    return this.bounded(scope, model, { models: null, maxAnswerTokens: null });
  }

  private bounded(scope: Counted, model: LanguageModel, { maxAnswerTokens }: ModelAllowance): LanguageModel {
    const isLimited = this.quotas.isLimited(scope, 'model_tokens');
    if (model instanceof NoLanguageModel || (maxAnswerTokens === null && !isLimited)) return model;
    return new BoundedModel(model, maxAnswerTokens, (tokens) =>
      this.quotas.use(scope, 'model_tokens', tokens),
    );
  }

  private async admitted(base: string): Promise<Fetch> {
    try {
      const pinned = await admitBase(base, {
        setting: 'LLM_ALLOWED_BASES',
        bases: this.settings.LLM_ALLOWED_BASES,
      });
      return pinned === null ? trustedFetch : providerFetch(pinned);
    } catch (error) {
      if (error instanceof BaseRefused) throw Invalid.at(['body', 'llm_config', 'api_base'], error.message);
      throw error;
    }
  }
}

/** @throws Invalid; a token learns that it may not use a model, and not what the model would need */
function wantedBy(config: LlmConfig, configured: ModelSettings, { ofToken }: ModelAllowance): ModelSettings {
  try {
    return withConfig(configured, config);
  } catch (error) {
    if (ofToken === undefined || config.model === undefined || !(error instanceof Invalid)) throw error;
    throw Invalid.at(['body', 'llm_config', 'model'], NOT_FOR_TOKEN);
  }
}
