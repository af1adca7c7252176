import { parseCommandLine } from '../command-line.js';

export const USAGE = `Usage: lectern demo [--once]

Starts a service with a data folder of its own that is removed at the end, puts three documents in, finds passages,
asks questions and changes a document. It then stays up for you to try, until Ctrl-C.

  --once                ends after the tour
  --help                this
  --version             which Lectern this is`;

const OPTIONS = { once: { type: 'boolean' } } as const;

/**
 * Reads the arguments behind `lectern demo`.
 * @throws UsageError
 */
export function parseDemoCommand(args: readonly string[]): { readonly once: boolean } {
  const { once = false } = parseCommandLine({ args: [...args], options: OPTIONS }).values;
  return { once };
}
