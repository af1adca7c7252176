import { Module } from '@nestjs/common';
import { LlmModule } from '../llm/llm.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { RetrievalService } from '../retrieval/retrieval.service.js';
import { PreparationService } from './preparation.service.js';
import { QueryController } from './query.controller.js';
import { QueryService } from './query.service.js';
import { Retriever } from './retriever.js';

@Module({
  imports: [LlmModule, RetrievalModule],
  controllers: [QueryController],
  providers: [PreparationService, QueryService, { provide: Retriever, useExisting: RetrievalService }],
  exports: [QueryService],
})
export class QueryModule {}
