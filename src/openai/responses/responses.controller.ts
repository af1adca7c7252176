import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTalk, requireOwnTalk } from '../../access/talk.js';
import type { Scope } from '../../auth/scope.js';
import { BadRequest } from '../../errors/index.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { setServerTiming } from '../../http/request-signal.js';
import { ApiAnswerOrEvents, Route } from '../../http/route.decorator.js';
import { sendEvents } from '../../http/sse.js';
import { pageOf } from '../cursor-list.js';
import { PathIds } from '../path-ids.js';
import { RESPONSE_EVENTS } from './events.example.js';
import { CreateResponseDto, EndUserQuery, ItemsQuery, ResponseQuery } from './response.dto.js';
import { ResponseService } from './response.service.js';

const NOT_CANCELLED = 'Only background responses can be cancelled; the service does not support them';

const NO_RESPONSE = { 404: 'No response has the id "resp_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

/** The Responses API of the OpenAI protocol. */
@ApiTags('models')
@Controller('v1/responses')
export class ResponsesController {
  constructor(private readonly service: ResponseService) {}

  @Post()
  @Route({
    operationId: 'createResponse',
    permission: 'query',
    token: 'query',
    summary: 'Create a response in the form of the OpenAI protocol',
    description:
      'The model answers the input. With a `file_search` tool, it answers from the named vector stores and cites their files. Without the tool, nothing is searched.',
    carriesDocument: true,
    errors: {
      404: 'No vector store has the id "vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"',
      502: 'The provider of gpt-4o-mini could not be reached',
    },
  })
  @ApiAnswerOrEvents(ANY_OBJECT, 'The response.', RESPONSE_EVENTS)
  async create(
    @CurrentScope() scope: Scope,
    @Body() body: CreateResponseDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    limitTalk(scope, body);
    if (body.stream === true) {
      const events = this.service.stream(scope, body, request, () => {
        setServerTiming(reply);
      });
      await sendEvents(request, reply, events);
      return;
    }
    const response = await this.service.create(scope, body);
    setServerTiming(reply);
    await reply.send(response);
  }

  @Get(':response_id')
  @Route({
    operationId: 'getResponse',
    permission: 'query',
    summary: 'Get a stored response',
    errors: { ...NO_RESPONSE, 400: 'A stored response cannot be streamed: omit stream' },
  })
  @PathIds('response')
  @ApiOkResponse({ schema: ANY_OBJECT })
  async get(
    @CurrentScope() scope: Scope,
    @Param('response_id') id: string,
    @Query() { stream, end_user_id: endUserId }: ResponseQuery,
  ): Promise<object> {
    if (stream) {
      throw new BadRequest('A stored response cannot be streamed: omit stream', undefined, {
        param: 'stream',
      });
    }
    return this.service.get(scope, id, endUserId);
  }

  @Delete(':response_id')
  @Route({
    operationId: 'deleteResponse',
    permission: 'query',
    summary: 'Delete a stored response',
    audit: { action: 'response.delete', subject: ({ params }) => [params['response_id']] },
    errors: NO_RESPONSE,
  })
  @PathIds('response')
  @ApiOkResponse({ schema: ANY_OBJECT })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('response_id') id: string,
    @Query() { end_user_id: endUserId }: EndUserQuery,
  ): Promise<object> {
    await this.service.delete(scope, id, endUserId);
    return { id, object: 'response', deleted: true };
  }

  @Get(':response_id/input_items')
  @Route({
    operationId: 'listInputItems',
    permission: 'query',
    summary: 'List the input items of a stored response',
    errors: NO_RESPONSE,
  })
  @PathIds('response')
  @ApiOkResponse({ schema: ANY_OBJECT })
  async inputItems(
    @CurrentScope() scope: Scope,
    @Param('response_id') id: string,
    @Query() query: ItemsQuery,
  ): Promise<object> {
    const { items, hasMore } = await this.service.inputItems(scope, id, query);
    return pageOf(items, hasMore);
  }

  @Post(':response_id/cancel')
  @Route({
    operationId: 'cancelResponse',
    permission: 'query',
    summary: 'Refuse to cancel a response',
    description: `${NOT_CANCELLED}.`,
    errors: { 400: NOT_CANCELLED },
  })
  @PathIds('response')
  @ApiOkResponse({ schema: ANY_OBJECT })
  cancel(): never {
    throw new BadRequest(NOT_CANCELLED, undefined, { param: 'background' });
  }
}

/**
 * Makes a token without talk of its own store nothing.
 * @throws Invalid if its request continues or stores a conversation
 */
function limitTalk(scope: Scope, body: CreateResponseDto): void {
  if (hasTalk(scope)) return;
  for (const name of ['previous_response_id', 'conversation', 'store'] as const) {
    if (body[name] !== null && body[name] !== false) requireOwnTalk(scope, ['body', name]);
  }
  body.store = false;
}
