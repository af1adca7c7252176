import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { HttpModule } from '../http/http.module.js';
import { ChatController } from './chat.controller.js';
import { ChatListRepository } from './chat-list.repository.js';
import { ChatRepository } from './chat.repository.js';
import { ChatService } from './chat.service.js';
import { ChatLinkController } from './links/chat-link.controller.js';
import { ChatLinkRepository } from './links/chat-link.repository.js';
import { ChatLinkService } from './links/chat-link.service.js';
import { DocumentTextsRepository } from './links/document-texts.repository.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackRepository } from './feedback/feedback.repository.js';
import { FeedbackService } from './feedback/feedback.service.js';
import { SuggestionService } from './suggestions/suggestion.service.js';
import { SuggestionsController } from './suggestions/suggestions.controller.js';
import { TalkRepository } from './talk.repository.js';

/** The store of talk and its view as chats, feedback on answers, and suggested questions. */
@Module({
  imports: [ChunksModule, CorpusModule, HttpModule],
  controllers: [ChatController, ChatLinkController, FeedbackController, SuggestionsController],
  providers: [
    ChatListRepository,
    ChatLinkRepository,
    ChatLinkService,
    ChatRepository,
    ChatService,
    DocumentTextsRepository,
    FeedbackRepository,
    FeedbackService,
    SuggestionService,
    TalkRepository,
  ],
  exports: [ChatLinkRepository, ChatRepository, ChatService, TalkRepository],
})
export class ChatsModule {}
