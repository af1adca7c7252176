import { listenForStopSignals, readSettings } from '../../src/index.js';
import { parseCommandLine } from './command.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage: lectern migrate

Migrates the database to this version and exits. A job without a time limit can run it before an upgrade. It reads the
settings of the service. No process of another version may run meanwhile.

  --help                prints this help
  --version             prints the version`;

/** `lectern migrate`: runs the same migrations as a start of the service, and exits. */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  listenForStopSignals();
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  const { runMigrations } = await import('../../src/parts.js');
  try {
    await runMigrations(settings);
  } catch (error) {
    setImmediate(() => process.exit()); // worker threads that were already started would keep the process alive
    throw error;
  }
}
