import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { unpackTemplate } from './template.js';

/**
 * Creates the files of an embedded database, from the template of the build or else with `initdb`, and exits. Runs in
 * its own thread, because WebAssembly returns memory to the operating system only when its thread ends.
 */
const { dataDir } = workerData as { dataDir: string };

if (!unpackTemplate(fileURLToPath(new URL('../template.zip', import.meta.url)), dataDir)) {
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create({ dataDir });
  await database.close();
}
