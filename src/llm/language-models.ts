import { Inject, Injectable } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Invalid } from '../errors/index.js';
import type { LlmConfig } from './config/llm-config.js';
import { mergeConfig } from './config/merge-config.js';
import { admitBase, BaseRefused } from './egress/base-guard.js';
import { providerFetch, trustedAgent } from './egress/fetch.js';
import { ExtractiveModel } from './extractive/extractive-model.js';
import type { LanguageModel } from './language-model.js';
import { configuredModel, type ModelSettings } from './model-settings.js';
import { OpenAiModel } from './openai/openai-model.js';

/** Makes language models from the service's settings and from what requests bring. */
@Injectable()
export class LanguageModels {
  private readonly agent = trustedAgent();
  private readonly modelSettings: ModelSettings;

  /** The model that LLM_* configures. */
  readonly configured: LanguageModel;
  /** The embedded default, which every request can name. */
  readonly embedded: LanguageModel;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    this.modelSettings = configuredModel(settings);
    this.configured = make(this.modelSettings, this.agent);
    this.embedded = make(mergeConfig(this.modelSettings, { model: 'extractive', sampling: {} }), this.agent);
  }

  /**
   * The model of one request.
   * @throws Invalid when `llm_config` asks for an address, a provider or a key that it may not have.
   */
  async for(config: LlmConfig | null): Promise<LanguageModel> {
    if (config === null) return this.configured;
    const merged = mergeConfig(this.modelSettings, config);
    const pinned = merged.foreignBase ? await this.admit(merged.apiBase ?? '') : null;
    return make(merged, pinned ?? this.agent);
  }

  private async admit(base: string): Promise<Dispatcher | null> {
    try {
      return await admitBase(base, this.settings.LLM_ALLOWED_BASES);
    } catch (error) {
      if (error instanceof BaseRefused) throw Invalid.at(['body', 'llm_config', 'api_base'], error.message);
      throw error;
    }
  }
}

function make(settings: ModelSettings, dispatcher: Dispatcher): LanguageModel {
  if (settings.provider === 'extractive') return new ExtractiveModel(settings);
  return new OpenAiModel(settings, providerFetch(dispatcher));
}
