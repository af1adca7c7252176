import { parseCommandLine } from '../command-line.js';

export const USAGE = `Usage: lectern doctor

Looks at everything that the service needs here, with the settings that it would start with, and prints a line for each:
ok, warn (something works less well) or fail (the service does not start, or not everything works), with what mends it.
It changes nothing but a probe that it writes to the store of files and removes; an embedded database that no service
holds is opened for a moment. It ends with 1 when something fails.

  --help                this
  --version             which Lectern this is

Settings are environment variables, such as DATA_DIR, PORT and DATABASE_URL (docs/configuration.md).`;

/**
 * Nothing may stand behind `lectern doctor`.
 * @throws UsageError
 */
export function parseDoctorCommand(args: readonly string[]): void {
  parseCommandLine({ args: [...args], options: {} });
}
