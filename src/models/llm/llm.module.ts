import { Module } from '@nestjs/common';
import { ConfiguredModel } from './configured-model.js';
import { LanguageModels } from './language-models.js';
import { RuntimeModelRepository } from './runtime-model.repository.js';
import { StructuredOutput } from './structured/structured-output.js';

/** Completion models: the configured model and the models of requests, for text and structured output. */
@Module({
  providers: [ConfiguredModel, LanguageModels, RuntimeModelRepository, StructuredOutput],
  exports: [ConfiguredModel, LanguageModels, StructuredOutput],
})
export class LlmModule {}
