import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { KeysController } from './keys/keys.controller.js';

/** What operators need: health and keys. */
@Module({
  imports: [EmbeddingModule],
  controllers: [HealthController, KeysController],
  providers: [HealthService],
})
export class OperationsModule {}
