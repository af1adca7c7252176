import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LlmModule } from '../llm/llm.module.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { LlmHealth } from './health/llm-health.js';
import { KeysController } from './keys/keys.controller.js';

/** What operators need: health and keys. */
@Module({
  imports: [EmbeddingModule, LlmModule],
  controllers: [HealthController, KeysController],
  providers: [HealthService, LlmHealth],
})
export class OperationsModule {}
