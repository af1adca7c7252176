import {
  StreamableHTTPClientTransport,
  type StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { addressOf } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { parseMcpCommand, USAGE } from './mcp/mcp-command.js';
import { reportFailure } from './report-failure.js';

/** `lectern mcp`: the MCP server of a service on stdin and stdout. */
async function main(args: readonly string[]): Promise<void> {
  const address = await addressOf(parseMcpCommand(args, process.env));
  await new ServiceConnection(address).reach();
  const headers = address.key === undefined ? {} : { authorization: `Bearer ${address.key}` };
  const service = new StreamableHTTPClientTransport(new URL(`${address.url}/mcp`), {
    requestInit: { headers },
  });
  const client = new StdioServerTransport();
  const reasonOf = (error: unknown): string => {
    const { message, code } = error as Partial<StreamableHTTPError>;
    return `${message ?? String(error)}${code === 401 || code === 403 ? ` (${address.keyOrigin})` : ''}`;
  };
  const fail = (error: unknown): void => {
    console.error(reasonOf(error)); // stdout is the protocol's
  };
  client.onmessage = (message) => {
    service.send(message).catch((error: unknown) => {
      if (!isJSONRPCRequest(message)) return; // nobody waits, and `onerror` has told it
      const told = { code: ErrorCode.InternalError, message: reasonOf(error) };
      client.send({ jsonrpc: '2.0', id: message.id, error: told }).catch(fail);
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

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
