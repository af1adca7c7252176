import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { ApiAnswerOrEvents, Route } from '../../http/route.decorator.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { setServerTiming } from '../../http/request-signal.js';
import { sendEvents } from '../../http/sse.js';
import { ModelListService, OWN_NAME } from '../../models/list/model-list.service.js';
import { QueryService } from '../../query/query.service.js';
import { chatCompletion, type CompletionStamp, protocolEvents } from './chat-completion.js';
import { ChatCompletionDto, ModelPath } from './chat-completion.dto.js';
import { COMPLETION_CHUNKS } from './chunks.example.js';
import { EmbeddingsDto, EmbeddingService } from './embedding.service.js';
import { requestOfChatCompletion } from './to-query-request.js';
import { eachHundredIn } from '../../http/bundled-calls.js';

const STARTED = Math.floor(Date.now() / 1_000);

function protocolModel(id: string): object {
  return { id, object: 'model', created: STARTED, owned_by: OWN_NAME };
}

/** The chat subset of the OpenAI protocol, answered from the documents. */
@ApiTags('models')
@Controller('v1')
export class OpenAiController {
  constructor(
    private readonly service: QueryService,
    private readonly models: ModelListService,
    private readonly embeddings: EmbeddingService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('models')
  @Route({ operationId: 'listOpenAiModels', permission: ['read', 'query'], summary: 'List models (OpenAI)' })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  async list(): Promise<object> {
    const { all } = await this.models.completion();
    const ids = [OWN_NAME, ...all.map(({ id }) => id)];
    return { object: 'list', data: ids.map(protocolModel) };
  }

  @Get('models/:model')
  @Route({
    operationId: 'getOpenAiModel',
    permission: ['read', 'query'],
    summary: 'Get a model (OpenAI)',
    errors: { 404: 'Unknown model: GET /v1/models lists the available models' },
  })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  async model(@Param() { model }: ModelPath): Promise<object> {
    if (!this.models.isEmbedding(model)) await this.models.require(model);
    return protocolModel(model);
  }

  @Post('chat/completions')
  @Route({
    operationId: 'createChatCompletion',
    permission: 'query',
    token: 'query',
    summary: 'Create a chat completion (OpenAI)',
    description:
      'Answers the last message from the documents. Accepts the retrieval fields of POST /query in addition to the fields of the protocol. The response also contains `sources` and `metadata`.',
    errors: {
      404: 'Unknown model: GET /v1/models lists the available models',
      502: 'The provider of gpt-4o-mini could not be reached',
    },
  })
  @ApiAnswerOrEvents({ type: 'object', additionalProperties: true }, 'The completion.', COMPLETION_CHUNKS)
  async complete(
    @CurrentScope() caller: Scope,
    @Body() body: ChatCompletionDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const named = await this.models.otherThanConfigured(body.model);
    const { scope, query } = requestOfChatCompletion(caller, body, request.body, named, this.settings);
    const stamp: CompletionStamp = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(Date.now() / 1_000),
      model: body.model,
    };
    if (body.stream === true) {
      const events = this.service.stream(scope, query, () => {
        setServerTiming(reply);
      });
      const includeUsage = body.stream_options?.include_usage === true;
      await sendEvents(request, reply, protocolEvents(stamp, events, includeUsage, request));
      return;
    }
    const response = await this.service.complete(scope, query);
    setServerTiming(reply);
    await reply.send(chatCompletion(stamp, response, body.include_reasoning === true));
  }

  @Post('embeddings')
  @Route({
    idempotency: 'none',
    operationId: 'createEmbeddings',
    permission: ['read', 'query'],
    summary: 'Create embeddings (OpenAI)',
    calls: eachHundredIn('input'),
    description:
      'Returns vectors of length 1 from the configured embedding model, comparable with the vectors of stored passages.',
    carriesDocument: true,
    errors: {
      404: 'The configured embedding model is local/all-MiniLM-L6-v2, also called lectern',
      502: 'The embedding provider could not be reached',
    },
  })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  embed(@Body() body: EmbeddingsDto): Promise<object> {
    return this.embeddings.embed(body);
  }
}
