import { parseArgs } from 'node:util';
import { givenAddress, type GivenAddress } from '../connection/service-address.js';
import { UsageError } from '../report-failure.js';

export const USAGE = `Usage: lectern mcp [options]

  --url <url>   the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>   an API key; its scopes decide on the tools (LECTERN_API_KEY, or DATA_DIR/api-key)

Speaks the Model Context Protocol on stdin and stdout, for programs that start their servers themselves. What they say is
passed to POST /mcp of the service.`;

const OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

/**
 * Reads the arguments behind `lectern mcp`.
 * @throws UsageError
 */
export function parseMcpCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): GivenAddress {
  try {
    return givenAddress(parseArgs({ args: [...args], options: OPTIONS }).values, environment);
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}
