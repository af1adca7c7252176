import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
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
  const fail = (error: unknown): void => {
    console.error(error instanceof Error ? error.message : error); // stdout is the protocol's
  };
  client.onmessage = (message) => {
    service.send(message).catch(fail);
  };
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
