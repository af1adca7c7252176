import { parseArgs } from 'node:util';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { addressOf, givenAddress } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { reportFailure, UsageError } from './report-failure.js';

const USAGE = `Usage: lectern mcp [options]

  --url <url>   the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>   an API key; its scopes decide on the tools (LECTERN_API_KEY, or DATA_DIR/api-key)

Speaks the Model Context Protocol on stdin and stdout, for programs that start their servers themselves. What they say is
passed to POST /mcp of the service.`;

const OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** `lectern mcp`: the MCP server of a service on stdin and stdout. */
async function main(args: readonly string[]): Promise<void> {
  const address = await addressOf(givenAddress(parse(args), process.env));
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
