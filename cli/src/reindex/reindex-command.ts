import { parseCommandLine } from '../command-line.js';

export const USAGE = `Usage: lectern reindex

Rebuilds all vectors with the model of EMBEDDING_MODEL, and those of pages where MULTIVECTOR has another one. It reads the
settings of the service (environment variables, DATA_DIR or DATABASE_URL). With the embedded database the service must
not be running; (re)start it with this EMBEDDING_MODEL afterwards.

  --help                this
  --version             which Lectern this is`;

/**
 * Nothing may stand behind `lectern reindex`.
 * @throws UsageError
 */
export function parseReindexCommand(args: readonly string[]): void {
  parseCommandLine({ args: [...args], options: {} });
}
