import { parseCommandLine } from './command.js';

export const USAGE = `Usage: lectern start

Starts the service with the settings of the environment (docs/reference/settings.md), as containers and supervisors do.
\`lectern serve\` starts the same and says where it is.

  --help                this
  --version             which Lectern this is`;

/** `lectern start`: the service as `node dist/main.js` starts it. */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  await import('../../src/main.js');
}
