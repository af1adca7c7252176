import { Module } from '@nestjs/common';
import { LlmModule } from '../../llm/llm.module.js';
import { QueryModule } from '../../query/query.module.js';
import { OpenAiModule } from '../openai.module.js';
import { DraftService } from './draft.service.js';
import { FileSearchService } from './file-search.service.js';
import { MemoryService } from './memory.service.js';
import { ResponseRepository } from './response.repository.js';
import { ResponseService } from './response.service.js';
import { ResponsesController } from './responses.controller.js';

/** Responses of the OpenAI protocol: answers of the model, with passages of vector stores where a request names them. */
@Module({
  imports: [LlmModule, OpenAiModule, QueryModule],
  controllers: [ResponsesController],
  providers: [DraftService, FileSearchService, MemoryService, ResponseRepository, ResponseService],
})
export class ResponsesModule {}
