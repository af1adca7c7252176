import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { ChatController } from './chat.controller.js';
import { ChatEntity, ChatTurnEntity } from './chat.entity.js';
import { ChatRepository } from './chat.repository.js';
import { ChatService } from './chat.service.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackRepository } from './feedback/feedback.repository.js';
import { FeedbackService } from './feedback/feedback.service.js';
import { SuggestionService } from './suggestions/suggestion.service.js';
import { SuggestionsController } from './suggestions/suggestions.controller.js';

/** Stored conversations, feedback on their answers, and suggested questions. */
@Module({
  imports: [TypeOrmModule.forFeature([ChatEntity, ChatTurnEntity]), ChunksModule, CorpusModule],
  controllers: [ChatController, FeedbackController, SuggestionsController],
  providers: [ChatRepository, ChatService, FeedbackRepository, FeedbackService, SuggestionService],
  exports: [ChatRepository, ChatService],
})
export class ChatsModule {}
