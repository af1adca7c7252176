import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerScript } from '../../config/package-root.js';

/** Embedded PostgreSQL in a worker thread. One connection reaches it through a unix socket in `socketDir`. */
export interface EmbeddedPostgres {
  readonly socketDir: string;
  stop(): Promise<void>;
}

/**
 * @param dataDir folder of the database; undefined keeps it in memory (tests).
 * @throws the worker's error when the database cannot be opened.
 */
export async function startEmbeddedPostgres(dataDir: string | undefined): Promise<EmbeddedPostgres> {
  const socketDir = await mkdtemp(join(tmpdir(), 'lectern-pg-'));
  const worker = new Worker(workerScript('database/embedded/pglite.worker.js'), {
    workerData: { dataDir, socketDir },
  });
  await once(worker, 'message'); // rejects when the worker dies during its start
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
