import { Module } from '@nestjs/common';
import { LlmModule } from '../llm/llm.module.js';
import { ModelSettingsController } from './model-settings.controller.js';
import { ModelSettingsService } from './model-settings.service.js';

/** The language model that an operator connects while the service runs. */
@Module({
  imports: [LlmModule],
  controllers: [ModelSettingsController],
  providers: [ModelSettingsService],
})
export class ModelSettingsModule {}
