import { readSettings } from '../../src/index.js';
import { parseCommandLine } from './command.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage: lectern reindex

Rebuilds all vectors with the model of EMBEDDING_MODEL, and those of pages where MULTIVECTOR has another one. It reads the
settings of the service (environment variables, DATA_DIR or DATABASE_URL). With the embedded database the service must
not be running; (re)start it with this EMBEDDING_MODEL afterwards.

  --help                this
  --version             which Lectern this is`;

/** `lectern reindex`: rebuilds all vectors with the model of EMBEDDING_MODEL, and those of pages that changed theirs. */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  const { reindex } = await import('../../src/parts.js');
  await reindex(settings, {
    moved(done, total, what) {
      process.stderr.write(`\r${done} of ${total} ${what}`);
    },
    ended(what, model) {
      console.error(
        what === 'chunks'
          ? `\nAll vectors are of ${model} now; (re)start the service with this EMBEDDING_MODEL`
          : `\nThe vectors of all pages are of ${model} now`,
      );
    },
  });
}
