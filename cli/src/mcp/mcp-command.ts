import { parseCommandLine } from '../command-line.js';
import { givenAddress, type GivenAddress } from '../connection/service-address.js';

export const USAGE = `Usage: lectern mcp [options]

  --url <url>   the service (LECTERN_URL, or the local one by HOST and PORT)
  --key <key>   an API key; its scopes decide on the tools (LECTERN_API_KEY, or DATA_DIR/api-key)
  --help        this
  --version     which Lectern this is

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
  return givenAddress(parseCommandLine({ args: [...args], options: OPTIONS }).values, environment);
}
