import { Controller, Get, Headers, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { SuccessDto } from '../../http/error.dto.js';
import { printedEvents } from '../../http/event-text.js';
import { signalOf } from '../../http/request-signal.js';
import { Route } from '../../http/route.decorator.js';
import { sendEvents } from '../../http/sse.js';
import { ApiCompletionEvents, COMPLETION_EVENT } from '../query-events.dto.js';
import { QUERY_EVENTS } from '../query-events.example.js';
import {
  AnswerEventsQuery,
  AnswerPath,
  AskerQuery,
  RunningAnswerDto,
  RunningAnswersQuery,
  toRunningAnswerDto,
} from './answer.dto.js';
import { LastingAnswers, NO_ANSWER } from './lasting-answers.js';

const WHOSE =
  'Only the person who asked, with the same rights, reaches an answer; without a person, only the key or token that asked.';

@ApiTags('completion')
@Controller('answers')
export class AnswersController {
  constructor(private readonly answers: LastingAnswers) {}

  @Get()
  @Route({
    operationId: 'listRunningAnswers',
    permission: 'query',
    token: ['query', 'chats'],
    summary: 'List the answers that are being written',
    description: `Answers to questions with an \`answer_id\`, oldest first, in the process that answers this request. ${WHOSE}`,
  })
  @ApiOkResponse({ type: RunningAnswerDto, isArray: true })
  list(
    @CurrentScope() scope: Scope,
    @Query() { end_user_id: endUserId, chat_id: chatId }: RunningAnswersQuery,
  ): RunningAnswerDto[] {
    return this.answers.running(scope, endUserId, chatId).map(toRunningAnswerDto);
  }

  @Get(':answer_id/events')
  @Route({
    operationId: 'streamAnswerEvents',
    permission: 'query',
    token: ['query', 'chats'],
    summary: 'Follow an answer, also after its connection was lost',
    description: `The events of the answer behind \`Last-Event-ID\`, then those to come. Several connections may follow an answer. Its events are kept until a minute after its end. ${WHOSE}`,
    errors: { 404: NO_ANSWER, 410: 'The beginning of this answer is no longer kept' },
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event received.' })
  @ApiCompletionEvents()
  @ApiOkResponse({
    description: 'Events; each `data:` is one of these objects.',
    content: { 'text/event-stream': { schema: COMPLETION_EVENT, example: printedEvents(QUERY_EVENTS) } },
  })
  async events(
    @CurrentScope() scope: Scope,
    @Param() { answer_id: id }: AnswerPath,
    @Query() { end_user_id: endUserId, last_event_id: inQuery }: AnswerEventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const from = { endUserId, lastEventId: lastEventId ?? inQuery };
    await sendEvents(request, reply, this.answers.follow(scope, id, from, signalOf(reply)));
  }

  @Post(':answer_id/stop')
  @Route({
    operationId: 'stopAnswer',
    permission: 'query',
    token: 'query',
    summary: 'Stop an answer that goes on without its connection',
    description: `Responds when the answer has ended and its chat has the text so far. Does nothing if the answer has ended already. ${WHOSE}`,
    idempotency: 'none',
    errors: { 404: NO_ANSWER },
  })
  @ApiOkResponse({ type: SuccessDto })
  async stop(
    @CurrentScope() scope: Scope,
    @Param() { answer_id: id }: AnswerPath,
    @Query() { end_user_id: endUserId }: AskerQuery,
  ): Promise<SuccessDto> {
    await this.answers.stop(scope, id, endUserId);
    return { status: 'success', message: 'Answer stopped' };
  }
}
