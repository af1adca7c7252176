import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LlmModule } from '../llm/llm.module.js';
import { ModelListService } from './model-list.service.js';
import { ModelsController } from './models.controller.js';

/** The list of usable models, without secrets. */
@Module({
  imports: [EmbeddingModule, LlmModule],
  controllers: [ModelsController],
  providers: [ModelListService],
  exports: [ModelListService],
})
export class ModelListModule {}
