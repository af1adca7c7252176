import { readSettings } from '../../src/index.js';
import { parseCommandLine } from './command.js';
import { requireDatabase } from './require-database.js';
import { printError } from './output.js';

export const USAGE = `Usage: lectern reindex

Rebuilds all vectors with EMBEDDING_MODEL, and page vectors if MULTIVECTOR selects another model. It reads the
settings of the service (environment variables, DATA_DIR or DATABASE_URL). With the embedded database the service must
not be running; (re)start it with this EMBEDDING_MODEL afterwards.

  --help                prints this help
  --version             prints the version`;

/**
 * `lectern reindex`: recomputes the vectors of all chunks with EMBEDDING_MODEL, and the vectors of pages if the page
 * model changed.
 */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  const { reindex } = await import('../../maintenance/index.js');
  await reindex(settings, {
    moved(done, total, what) {
      process.stderr.write(`\r${done} of ${total} ${what}`);
    },
    ended(what, model) {
      printError(
        what === 'chunks'
          ? `\nAll vectors are from ${model} now; (re)start the service with this EMBEDDING_MODEL`
          : `\nAll page vectors are from ${model} now`,
      );
    },
  });
}
