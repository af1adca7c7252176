import { Module } from '@nestjs/common';
import { SETTINGS } from '../config/settings.js';
import { LanguageModel } from './language-model.js';
import { configuredLanguageModel, LanguageModels } from './language-models.js';
import { StructuredOutput } from './structured/structured-output.js';

/** The configured completion model and those that requests bring, asked in words or in the shape of a schema. */
@Module({
  providers: [
    { provide: LanguageModel, inject: [SETTINGS], useFactory: configuredLanguageModel },
    LanguageModels,
    StructuredOutput,
  ],
  exports: [LanguageModel, LanguageModels, StructuredOutput],
})
export class LlmModule {}
