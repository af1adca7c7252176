import {
  StreamableHTTPClientTransport,
  type StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { parseCommandLine } from './command.js';
import { givenAddress, SERVICE_OPTIONS, withService, type ServiceAddress } from './service.js';

export const USAGE = `Usage: lectern mcp [options]

  --url <url>   the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>   an API key; its permissions determine the tools (LECTERN_API_KEY, or DATA_DIR/api-key)
  --help        prints this help
  --version     prints the version

Speaks the Model Context Protocol on stdin and stdout, for programs that start MCP servers as processes. It forwards their
messages to POST /mcp of the service.`;

/** `lectern mcp`: a stdio MCP server that forwards to a service. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseCommandLine({ args: [...args], options: SERVICE_OPTIONS });
  await withService(givenAddress(values, process.env), (_, address) => passOn(address));
}

async function passOn({ url, key, keyOrigin }: ServiceAddress): Promise<void> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const service = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const client = new StdioServerTransport();
  const reasonOf = (error: unknown): string => {
    const { message, code } = error as Partial<StreamableHTTPError>;
    return `${message ?? String(error)}${code === 401 || code === 403 ? ` (${keyOrigin})` : ''}`;
  };
  const fail = (error: unknown): void => {
    console.error(reasonOf(error)); // stdout is reserved for the protocol
  };
  client.onmessage = (message) => {
    service.send(message).catch((error: unknown) => {
      if (!isJSONRPCRequest(message)) return; // a notification gets no response, and `onerror` has reported the failure
      const failure = { code: ErrorCode.InternalError, message: reasonOf(error) };
      client.send({ jsonrpc: '2.0', id: message.id, error: failure }).catch(fail);
    });
  };
  client.onerror = fail;
  service.onmessage = (message) => {
    client.send(message).catch(fail);
  };
  service.onerror = fail;
  client.onclose = () => void service.close();
  await service.start();
  await client.start();
}
