import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { ApiAnswerOrEvents, Route } from '../http/route.decorator.js';
import { CurrentScope, ShowsPlan } from '../http/current-scope.decorator.js';
import { setServerTiming } from '../http/request-signal.js';
import { sendEvents } from '../http/sse.js';
import { LastingAnswers } from './answers/lasting-answers.js';
import { ApiCompletionEvents, COMPLETION_EVENT } from './query-events.dto.js';
import { CompletionDto } from './query-response.dto.js';
import { QUERY_EVENTS } from './query-events.example.js';
import { QueryDto, searchIn, toQueryRequest } from './query.dto.js';
import { QueryService } from './query.service.js';

@ApiTags('completion')
@Controller('query')
export class QueryController {
  constructor(
    private readonly service: QueryService,
    private readonly answers: LastingAnswers,
  ) {}

  @Post()
  @Route({
    operationId: 'query',
    permission: 'query',
    token: 'query',
    summary: 'Answer a question from the documents',
    description:
      'Retrieves passages, calls the model, and lists every chunk in the prompt. A follow-up question is first rewritten by the model; without a model it is searched both alone and with words of earlier questions. With `stream_response` the response is `text/event-stream`: `assistant` deltas, then `done`, or `error` after a failure. If the caller disconnects during the answer, the chat keeps the partial text as `stopped`; with `answer_id` the answer goes on.',
    carriesDocument: true,
    errors: {
      409: 'The chat has 2 messages, so replace_from cannot be 4',
      502: 'The provider of gpt-4o-mini could not be reached',
    },
  })
  @ApiExtraModels(CompletionDto)
  @ApiCompletionEvents()
  @ApiAnswerOrEvents(
    { $ref: getSchemaPath(CompletionDto) },
    'The completion.',
    QUERY_EVENTS,
    COMPLETION_EVENT,
  )
  async query(
    @CurrentScope() scope: Scope,
    @Body() body: QueryDto,
    @ShowsPlan() showsPlan: boolean,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = { ...toQueryRequest(body, showsPlan), options: searchIn(request.body) };
    if (body.stream_response === true) {
      const answer = () =>
        this.service.stream(scope, query, (plan) => {
          setServerTiming(reply, showsPlan ? (plan ?? undefined) : undefined);
        });
      const events =
        body.answer_id === null
          ? answer()
          : this.answers.begin({ scope, body, id: body.answer_id }, request, reply, answer);
      await sendEvents(request, reply, events);
      return;
    }
    const response = await this.service.complete(scope, query);
    setServerTiming(reply, response.metadata.plan);
    await reply.send(response);
  }
}
