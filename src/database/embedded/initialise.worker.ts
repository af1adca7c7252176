import { workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

/**
 * Creates the files of an embedded database (`initdb`) and exits. Runs in its own thread, because WebAssembly returns
 * memory to the operating system only when its thread ends.
 */
const { dataDir } = workerData as { dataDir: string };

const database = await PGlite.create({ dataDir });
await database.close();
