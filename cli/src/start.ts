import { reportFailure } from './report-failure.js';
import { parseStartCommand, USAGE } from './start/start-command.js';

/** `lectern start`: the service as `node dist/main.js` starts it. */
async function main(args: readonly string[]): Promise<void> {
  parseStartCommand(args);
  await import('../../src/main.js');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE });
});
