import { listenForStopSignals, readSettings } from '../../src/index.js';
import { parseCommandLine } from './command.js';
import { requireDatabase } from './require-database.js';

export const USAGE = `Usage: lectern migrate

Brings the database to the state that this version needs, as a start does, and ends: before an upgrade, for instance, as a
job that may take its time. It reads the settings of the service. No process of another version may run meanwhile.

  --help                this
  --version             which Lectern this is`;

/** `lectern migrate`: what a start does before it answers, and nothing else. */
export async function run(args: readonly string[]): Promise<void> {
  parseCommandLine({ args: [...args], options: {} });
  listenForStopSignals();
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  const { runMigrations } = await import('../../src/parts.js');
  try {
    await runMigrations(settings);
  } catch (error) {
    setImmediate(() => process.exit()); // threads that were started already would keep it alive
    throw error;
  }
}
