import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { providerFetch, trustedAgent } from './egress/fetch.js';
import { ExtractiveModel } from './extractive/extractive-model.js';
import type { LanguageModel } from './language-model.js';
import { configuredModel, type ModelSettings } from './model-settings.js';
import { OpenAiModel } from './openai/openai-model.js';

/** Makes language models from the service's settings. */
@Injectable()
export class LanguageModels {
  private readonly agent = trustedAgent();
  private readonly settings: ModelSettings;

  /** The model that LLM_* configures. */
  readonly configured: LanguageModel;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.settings = configuredModel(settings);
    this.configured = this.make(this.settings);
  }

  private make(settings: ModelSettings): LanguageModel {
    if (settings.provider === 'extractive') return new ExtractiveModel(settings);
    return new OpenAiModel(settings, providerFetch(this.agent));
  }
}
