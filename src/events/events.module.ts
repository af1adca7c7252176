import { Module } from '@nestjs/common';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EventFeed } from './event-feed.js';
import { EventStreamService } from './event-stream.service.js';
import { EventSweep } from './event-sweep.js';
import { EventsController } from './events.controller.js';

@Module({
  imports: [CorpusModule],
  controllers: [EventsController],
  providers: [EventFeed, EventStreamService, EventSweep],
})
export class EventsModule {}
