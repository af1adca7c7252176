import { Module } from '@nestjs/common';
import { AnsweringModule } from '../../answering/answering.module.js';
import { ChatsModule } from '../../chats/chats.module.js';
import { ModelListModule } from '../../models/list/model-list.module.js';
import { ConversationRepository } from '../conversations/conversation.repository.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { ConversationsController } from '../conversations/conversations.controller.js';
import { OpenAiModule } from '../openai.module.js';
import { DraftService } from './draft.service.js';
import { MemoryService } from './memory.service.js';
import { ResponseRepository } from './response.repository.js';
import { ResponseService } from './response.service.js';
import { ResponsesController } from './responses.controller.js';

/**
 * Responses and conversations of the OpenAI protocol: answers of the model, with passages of the vector stores that a
 * request names.
 */
@Module({
  imports: [AnsweringModule, ChatsModule, ModelListModule, OpenAiModule],
  controllers: [ConversationsController, ResponsesController],
  providers: [
    ConversationRepository,
    ConversationService,
    DraftService,
    MemoryService,
    ResponseRepository,
    ResponseService,
  ],
})
export class ResponsesModule {}
