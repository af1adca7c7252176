import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { unmet } from '../http/input/exception-factory.js';
import { Route } from '../http/route.decorator.js';
import { isJsonObject } from '../json/json-object.js';
import { McpService } from './mcp.service.js';

const MESSAGE = { type: 'object', additionalProperties: true } as const;

const EXAMPLES = {
  'Which tools there are': { value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  'A search': {
    value: {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'What does error E07 mean?' } },
    },
  },
};

@ApiTags('mcp')
@Controller('mcp')
export class McpController {
  constructor(private readonly service: McpService) {}

  @Post()
  @Route({
    permission: ['read', 'query', 'write'],
    summary: 'Model Context Protocol',
    description:
      'A message of the protocol (streamable HTTP, answered as JSON, without sessions). Tools: search, ask, read_document, read_page, list_documents, add_document, as far as the scopes of the key allow.',
    carriesDocument: true,
    errors: {
      400: 'Bad Request: Unsupported protocol version',
      406: 'Not Acceptable: Client must accept both application/json and text/event-stream',
    },
  })
  @ApiBody({ schema: MESSAGE, required: true, examples: EXAMPLES })
  @ApiOkResponse({ schema: MESSAGE })
  async message(
    @CurrentScope() scope: Scope,
    @Body() body: unknown,
    @Req() { headers, id }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!isJsonObject(body) && !Array.isArray(body)) throw unmet(['body'], 'isJsonObject');
    const answer = await this.service.answer(scope, { headers, body, id });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    await reply
      .status(answer.status)
      .headers(type === null ? {} : { 'content-type': type })
      .send(text);
  }
}
