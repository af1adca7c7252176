import { Module } from '@nestjs/common';
import { SETTINGS } from '../config/settings.js';
import { LanguageModel } from './language-model.js';
import { configuredLanguageModel, LanguageModels } from './language-models.js';
import { StructuredOutput } from './structured/structured-output.js';

/** Completion models: the configured one and those of requests, for text and for structured output. */
@Module({
  providers: [
    { provide: LanguageModel, inject: [SETTINGS], useFactory: configuredLanguageModel },
    LanguageModels,
    StructuredOutput,
  ],
  exports: [LanguageModel, LanguageModels, StructuredOutput],
})
export class LlmModule {}
