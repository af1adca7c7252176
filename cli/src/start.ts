import { parseCommandLine } from './command.js';

export const USAGE = `Usage: lectern start

Starts the service with the settings of the environment (docs/reference/settings.md), as containers and supervisors do.
\`lectern serve\` also prints its address.

  --help                prints this help
  --version             prints the version`;

/** `lectern start`: starts the service like `node dist/main.js`. */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  await import('../../src/main.js');
}
