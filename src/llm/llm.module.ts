import { Module } from '@nestjs/common';
import { LanguageModels } from './language-models.js';
import { StructuredOutput } from './structured/structured-output.js';

/** Completion models: made from the settings or from a request, and asked in words or in the shape of a schema. */
@Module({ providers: [LanguageModels, StructuredOutput], exports: [LanguageModels, StructuredOutput] })
export class LlmModule {}
