import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LlmModule } from '../llm/llm.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { AnsweringService } from './answering.service.js';
import { ChatController } from './chats/chat.controller.js';
import { ChatEntity, ChatTurnEntity } from './chats/chat.entity.js';
import { ChatRepository } from './chats/chat.repository.js';
import { ChatService } from './chats/chat.service.js';
import { EntityService } from './entities/entity.service.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackRepository } from './feedback/feedback.repository.js';
import { FeedbackService } from './feedback/feedback.service.js';
import { ModelListService } from './models/model-list.service.js';
import { ModelsController } from './models/models.controller.js';
import { EmbeddingService } from './openai/embedding.service.js';
import { OpenAiController } from './openai/openai.controller.js';
import { BestPassages } from './passages/best-passages.js';
import { PreparationService } from './preparation.service.js';
import { QueryController } from './query.controller.js';
import { QueryService } from './query.service.js';
import { SuggestionService } from './suggestions/suggestion.service.js';
import { SuggestionsController } from './suggestions/suggestions.controller.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ChatEntity, ChatTurnEntity]),
    ChunksModule,
    CorpusModule,
    EmbeddingModule,
    LlmModule,
    RetrievalModule,
  ],
  controllers: [
    QueryController,
    ChatController,
    FeedbackController,
    SuggestionsController,
    ModelsController,
    OpenAiController,
  ],
  providers: [
    AnsweringService,
    BestPassages,
    ChatRepository,
    ChatService,
    EmbeddingService,
    EntityService,
    FeedbackRepository,
    FeedbackService,
    ModelListService,
    PreparationService,
    QueryService,
    SuggestionService,
  ],
  exports: [AnsweringService, ModelListService, QueryService],
})
export class QueryModule {}
