import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChunksModule } from '../chunks/chunks.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LlmModule } from '../llm/llm.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { AnsweringService } from './answering.service.js';
import { ChatController } from './chats/chat.controller.js';
import { ChatEntity, ChatTurnEntity } from './chats/chat.entity.js';
import { ChatRepository } from './chats/chat.repository.js';
import { ChatService } from './chats/chat.service.js';
import { EmbeddedEntities } from './entities/embedded-entities.js';
import { EntityService } from './entities/entity.service.js';
import { ModelEntities } from './entities/model-entities.js';
import { ModelListService } from './models/model-list.service.js';
import { ModelsController } from './models/models.controller.js';
import { EmbeddingService } from './openai/embedding.service.js';
import { OpenAiController } from './openai/openai.controller.js';
import { PreparationService } from './preparation.service.js';
import { QueryController } from './query.controller.js';
import { QueryService } from './query.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ChatEntity, ChatTurnEntity]),
    ChunksModule,
    EmbeddingModule,
    LlmModule,
    RetrievalModule,
  ],
  controllers: [QueryController, ChatController, ModelsController, OpenAiController],
  providers: [
    AnsweringService,
    ChatRepository,
    ChatService,
    EmbeddedEntities,
    EmbeddingService,
    EntityService,
    ModelEntities,
    ModelListService,
    PreparationService,
    QueryService,
  ],
  exports: [QueryService],
})
export class QueryModule {}
