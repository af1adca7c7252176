import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { actingScope } from '../access/acting-for.js';
import type { Scope } from '../auth/scope.js';
import { VERSION } from '../config/package-root.js';
import { runUntil } from '../request/request-context.js';
import { describeError } from '../http/describe-error.js';
import { isJsonObject } from '../json/exact-json.js';
import { McpTools, type McpTool } from './mcp-tools.js';

const ABOUT = { name: 'lectern', version: VERSION };

/** An HTTP request with a Model Context Protocol message. */
export interface McpRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** Request id for the log and for error messages. */
  readonly id: string;
  /** Aborts when the answer is no longer wanted. Tools that write run to their end. */
  readonly signal: AbortSignal;
}

/**
 * Answers Model Context Protocol messages (streamable HTTP). The service keeps no state, so that any process can answer
 * any message. A key can list and call the tools that its permissions allow.
 */
@Injectable()
export class McpService {
  private readonly logger = new Logger('Mcp');

  constructor(private readonly tools: McpTools) {}

  async answer(scope: Scope, { headers, body, id, signal }: McpRequest): Promise<Response> {
    const server = this.serverFor(scope, id, signal);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const request = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(headers) });
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      await server.close();
    }
  }

  private serverFor(scope: Scope, requestId: string, signal: AbortSignal): McpServer {
    const { permissions, policy } = scope;
    const tools = this.tools.all.filter(
      ({ permission, use }) => permissions.has(permission) && policy?.uses.has(use) !== false,
    );
    const mcp = new McpServer(ABOUT, { capabilities: { tools: {} } });
    // Uses the low-level server, because the tools have JSON Schemas and validation of their own.
    const { server } = mcp;
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: tools.map(({ name, description, inputSchema, readOnly }) => ({
        name,
        description,
        inputSchema,
        annotations: { readOnlyHint: readOnly, openWorldHint: false },
      })),
    }));
    // The calls of a batch run one after the other. Otherwise one connection would take the place of twenty.
    const inTurn = pLimit(1);
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined) {
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool for this key: ${params.name}`);
      }
      const run = (): Promise<CallToolResult> => this.run(tool, scope, params.arguments ?? {}, requestId);
      return inTurn(() => (tool.readOnly ? runUntil(signal, run) : run()));
    });
    return mcp;
  }

  /**
   * Calls a tool for the person and groups that its arguments name. As the protocol requires, an error becomes a result,
   * which the model reads.
   */
  private async run(tool: McpTool, scope: Scope, input: unknown, requestId: string): Promise<CallToolResult> {
    try {
      const named = isJsonObject(input) ? { ...input } : {};
      return await tool.run(actingScope(scope, named, ['arguments']), named);
    } catch (error) {
      const { status, detail } = describeError(error, requestId);
      if (status >= 500) this.logger.error({ err: error, tool: tool.name }, 'tool failed');
      const text =
        typeof detail === 'string'
          ? detail
          : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n');
      return { isError: true, content: [{ type: 'text', text }] };
    }
  }
}

/**
 * Returns the headers for the transport. The transport requires that clients also accept event streams, although the
 * responses of this service are always JSON.
 */
function headersOf(headers: McpRequest['headers']): Headers {
  const names = ['accept', 'content-type', 'mcp-protocol-version'];
  const given = new Headers(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
  if (/application\/(json|\*)|\*\/\*/.test(given.get('accept') ?? '*/*')) {
    given.set('accept', 'application/json, text/event-stream');
  }
  return given;
}
