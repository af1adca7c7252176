import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering/answering.module.js';
import { ChatsModule } from '../chats/chats.module.js';
import { HttpModule } from '../http/http.module.js';
import { AnswersController } from './answers/answers.controller.js';
import { LastingAnswers } from './answers/lasting-answers.js';
import { QueryController } from './query.controller.js';
import { QueryService } from './query.service.js';

/**
 * `POST /query`: an answer with its sources, as one response or as a stream, stored in a chat. `/answers`: answers that go
 * on without their connection.
 */
@Module({
  imports: [AnsweringModule, ChatsModule, HttpModule],
  controllers: [AnswersController, QueryController],
  providers: [LastingAnswers, QueryService],
  exports: [QueryService],
})
export class QueryModule {}
