import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { ChatController } from './chat.controller.js';
import { ChatRepository } from './chat.repository.js';
import { ChatService } from './chat.service.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackRepository } from './feedback/feedback.repository.js';
import { FeedbackService } from './feedback/feedback.service.js';
import { SuggestionService } from './suggestions/suggestion.service.js';
import { SuggestionsController } from './suggestions/suggestions.controller.js';
import { TalkRepository } from './talk.repository.js';

/** The store of talk and its view as chats, feedback on answers, and suggested questions. */
@Module({
  imports: [ChunksModule, CorpusModule],
  controllers: [ChatController, FeedbackController, SuggestionsController],
  providers: [
    ChatRepository,
    ChatService,
    FeedbackRepository,
    FeedbackService,
    SuggestionService,
    TalkRepository,
  ],
  exports: [ChatRepository, ChatService, TalkRepository],
})
export class ChatsModule {}
