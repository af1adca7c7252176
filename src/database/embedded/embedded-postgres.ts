import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerScript } from '../../config/package-root.js';
import { StartRefused } from '../../errors/index.js';

/** Embedded PostgreSQL in a worker thread. It accepts one connection, through a unix socket in `socketDir`. */
export interface EmbeddedPostgres {
  readonly socketDir: string;
  stop(): Promise<void>;
}

/**
 * Starts embedded PostgreSQL.
 * @param dataDir folder of the database; if undefined, the database is in memory (for tests).
 * @throws StartRefused if the folder has files but is not a database, or if the database cannot be opened
 */
export async function startEmbeddedPostgres(dataDir: string | undefined): Promise<EmbeddedPostgres> {
  if (dataDir !== undefined && !existsSync(join(dataDir, 'PG_VERSION'))) await createIn(dataDir);
  const socketDir = await mkdtemp(join(tmpdir(), 'lectern-pg-'));
  const worker = new Worker(workerScript('database/embedded/pglite.worker.js'), {
    workerData: { dataDir, socketDir },
  });
  const exited = once(worker, 'exit').then(([code]) => {
    throw new Error(`The thread of the embedded database exited with code ${String(code)} during its start`);
  });
  try {
    await Promise.race([once(worker, 'message'), exited]); // both reject if the thread throws an error
  } catch (error) {
    await rm(socketDir, { recursive: true, force: true });
    throw new StartRefused(
      `The embedded database in ${dataDir ?? 'memory'} cannot be opened (${reasonOf(error)}): its files are damaged or of another version. Restore a backup of the data folder, or start with another DATA_DIR`,
      { cause: error },
    );
  }
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : String(error);
}

/**
 * Creates a database in a folder that is absent or empty. The files are written to a temporary folder first, so an
 * interrupted start leaves no incomplete database.
 *
 * @throws StartRefused if the folder has files: it may be an incomplete copy of a database
 */
async function createIn(dataDir: string): Promise<void> {
  const present = existsSync(dataDir) ? await readdir(dataDir) : undefined;
  if (present !== undefined && present.length > 0) {
    throw new StartRefused(
      `${dataDir} has files but is not a complete database (it has no PG_VERSION), so it is left as it is: copy the whole folder again, or start with another DATA_DIR`,
    );
  }
  const unfinished = `${dataDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await initialise(unfinished);
  if (present !== undefined) await rmdir(dataDir);
  await rename(unfinished, dataDir);
}

/** Creates the files of a database. */
async function initialise(dataDir: string): Promise<void> {
  const script = workerScript('database/embedded/initialise.worker.js');
  const [code] = (await once(new Worker(script, { workerData: { dataDir } }), 'exit')) as [number];
  if (code !== 0) throw new Error(`The creation of the embedded database exited with code ${code}`);
}
