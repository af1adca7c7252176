import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../../models/embedding/embedding.module.js';
import { ModelListModule } from '../../models/list/model-list.module.js';
import { QueryModule } from '../../query/query.module.js';
import { OpenAiController } from './chat-completions.controller.js';
import { EmbeddingService } from './embedding.service.js';

/** Chat completions over the documents, embeddings and the list of models, in OpenAI's protocol. */
@Module({
  imports: [EmbeddingModule, ModelListModule, QueryModule],
  controllers: [OpenAiController],
  providers: [EmbeddingService],
})
export class ChatCompletionsModule {}
