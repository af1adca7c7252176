import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering/answering.module.js';
import { ChatsModule } from '../chats/chats.module.js';
import { QueryController } from './query.controller.js';
import { QueryService } from './query.service.js';

/** `POST /query`: an answer with its sources, as one response or as a stream, stored in a chat. */
@Module({
  imports: [AnsweringModule, ChatsModule],
  controllers: [QueryController],
  providers: [QueryService],
  exports: [QueryService],
})
export class QueryModule {}
