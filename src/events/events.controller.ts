import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { signalOf } from '../http/request-signal.js';
import { Route } from '../http/route.decorator.js';
import { printedEvents } from '../http/event-text.js';
import { sendEvents } from '../http/sse.js';
import { selectionOf } from '../retrieval/selection-fields.dto.js';
import { ApiStreamEvents, EVENTS_OF_A_DOCUMENT, EventsQuery, STREAM_EVENT } from './event.dto.js';
import { EventStreamService } from './event-stream.service.js';

@ApiTags('events')
@Controller('events')
export class EventsController {
  constructor(private readonly service: EventStreamService) {}

  @Get()
  @Route({
    operationId: 'streamEvents',
    permission: 'read',
    token: 'status',
    summary: 'Stream what happens to documents',
    description:
      'Server-sent events about the documents that the key may read: ingestion with its progress, updates and deletions. Begins with `stream.ready`. With `Last-Event-ID` it goes on behind that event, also after a day; if events are missing, it begins with `stream.reset`, and the client lists the documents anew.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event received.' })
  @ApiStreamEvents()
  @ApiOkResponse({
    description: 'Events; each `data:` is one of these objects.',
    content: { 'text/event-stream': { schema: STREAM_EVENT, example: printedEvents(EVENTS_OF_A_DOCUMENT) } },
  })
  async stream(
    @CurrentScope() scope: Scope,
    @Query() query: EventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { types = null, document_id: documentId, last_event_id: inQuery = null } = query;
    const selection = {
      ...selectionOf(query),
      documentIds: documentId === undefined ? null : [documentId],
    };
    const events = this.service.stream(
      scope,
      { selection, types, lastEventId: lastEventId ?? inQuery },
      signalOf(reply),
    );
    await sendEvents(request, reply, events);
  }
}
