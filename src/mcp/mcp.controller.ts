import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBadRequestResponse,
  ApiBody,
  ApiNotAcceptableResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { type Location, violation } from '../errors/index.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { eachOf } from '../http/input/parse.js';
import { RateLimit } from '../http/rate-limit.js';
import { signalOf } from '../http/request-signal.js';
import { Route } from '../http/route.decorator.js';
import { isJsonObject } from '../json/exact-json.js';
import { TOOL_USES } from './mcp-tools.js';
import { McpService } from './mcp.service.js';

const MESSAGE = { type: 'object', additionalProperties: true } as const;

/** Messages of a list are answered at the same time, so their number is bounded. */
const MAX_MESSAGES = 20;

/** Schema of the body: a message, or a list of messages. Some versions of the protocol send lists. */
const MESSAGES = {
  oneOf: [MESSAGE, { type: 'array' as const, minItems: 1, maxItems: MAX_MESSAGES, items: MESSAGE }],
};

const EXAMPLES = {
  'List tools': { value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  'A search': {
    value: {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'What does error E07 mean?' } },
    },
  },
};

/** Describes an error response of the protocol (JSON-RPC). It has no `detail`. */
function refusal(description: string, code: number, text: string) {
  const example = { jsonrpc: '2.0', error: { code, message: text }, id: null };
  return { description, content: { 'application/json': { schema: MESSAGE, example } } };
}

@ApiTags('mcp')
@Controller('mcp')
export class McpController {
  constructor(
    private readonly service: McpService,
    private readonly limit: RateLimit,
  ) {}

  @Post()
  @Route({
    idempotency: 'none',
    operationId: 'sendMcpMessage',
    permission: ['read', 'query', 'write'],
    token: TOOL_USES,
    summary: 'Model Context Protocol',
    description:
      'Handles a protocol message (streamable HTTP, JSON responses, no sessions). Tools: search, ask, read_document, read_page, list_documents, add_document; limited by the permissions of the key. A list has at most 20 messages; each call of a tool counts as a request against the rate limit.',
    carriesDocument: true,
  })
  @ApiBody({ schema: MESSAGES, required: true, examples: EXAMPLES })
  @ApiOkResponse({ schema: MESSAGES })
  @ApiAcceptedResponse({ description: 'Notifications have no response.' })
  @ApiBadRequestResponse(refusal('The message or its protocol version is invalid.', -32_700, 'Parse error'))
  @ApiNotAcceptableResponse(
    refusal(
      'The client must accept both application/json and text/event-stream.',
      -32_000,
      'Not Acceptable: Client must accept both application/json and text/event-stream',
    ),
  )
  async message(
    @CurrentScope() scope: Scope,
    @Body() body: unknown,
    @Req() { headers, id }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const messages = messagesOf(body);
    // The request itself is counted as one call already.
    await this.limit.countBundle(scope, messages.filter(isToolCall).length);
    const answer = await this.service.answer(scope, { headers, body, id, signal: signalOf(reply) });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    await reply
      .status(answer.status)
      .headers(type === null ? {} : { 'content-type': type })
      .send(text);
  }
}

/** Returns the messages of a body. @throws Invalid if the body is neither a message nor a list of messages. */
function messagesOf(body: unknown): readonly unknown[] {
  if (!Array.isArray(body) || body.length === 0) return [message(body, ['body'])];
  if (body.length > MAX_MESSAGES) throw violation(['body'], 'arrayMaxSize', MAX_MESSAGES);
  return eachOf(message)(body, ['body']) as unknown[];
}

function isToolCall(value: unknown): boolean {
  return isJsonObject(value) && value['method'] === 'tools/call';
}

function message(value: unknown, loc: Location): unknown {
  if (isJsonObject(value)) return value;
  throw violation(loc, 'isJsonObject');
}
