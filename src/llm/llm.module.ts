import { Module } from '@nestjs/common';
import { LanguageModels } from './language-models.js';

@Module({ providers: [LanguageModels], exports: [LanguageModels] })
export class LlmModule {}
