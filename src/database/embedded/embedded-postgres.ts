import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerScript } from '../../config/package-root.js';

/** Embedded PostgreSQL in a worker thread. It accepts one connection, through a unix socket in `socketDir`. */
export interface EmbeddedPostgres {
  readonly socketDir: string;
  stop(): Promise<void>;
}

/**
 * Starts embedded PostgreSQL.
 * @param dataDir folder of the database; if undefined, the database is in memory (for tests).
 * @throws the error of the worker if the database cannot be opened.
 */
export async function startEmbeddedPostgres(dataDir: string | undefined): Promise<EmbeddedPostgres> {
  if (dataDir !== undefined && !existsSync(join(dataDir, 'PG_VERSION'))) await initialise(dataDir);
  const socketDir = await mkdtemp(join(tmpdir(), 'lectern-pg-'));
  const worker = new Worker(workerScript('database/embedded/pglite.worker.js'), {
    workerData: { dataDir, socketDir },
  });
  const exited = once(worker, 'exit').then(([code]) => {
    throw new Error(`The thread of the embedded database exited with code ${String(code)} during its start`);
  });
  await Promise.race([once(worker, 'message'), exited]); // both reject if the thread throws an error
  return {
    socketDir,
    async stop() {
      const stopped = once(worker, 'message');
      worker.postMessage('stop');
      await stopped;
      await worker.terminate();
      await rm(socketDir, { recursive: true, force: true });
    },
  };
}

/** Creates the files of a database. */
async function initialise(dataDir: string): Promise<void> {
  const script = workerScript('database/embedded/initialise.worker.js');
  const [code] = (await once(new Worker(script, { workerData: { dataDir } }), 'exit')) as [number];
  if (code !== 0) throw new Error(`The creation of the embedded database exited with code ${code}`);
}
