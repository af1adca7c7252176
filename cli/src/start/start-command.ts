import { parseCommandLine } from '../command-line.js';

export const USAGE = `Usage: lectern start

Starts the service with the settings of the environment (docs/configuration.md), as containers and supervisors do.
\`lectern serve\` starts the same and says where it is.

  --help                this
  --version             which Lectern this is`;

/**
 * Nothing may stand behind `lectern start`.
 * @throws UsageError
 */
export function parseStartCommand(args: readonly string[]): void {
  parseCommandLine({ args: [...args], options: {} });
}
