import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** Runs embedded PostgreSQL on its own thread, so that a long query never blocks the event loop. */
const { dataDir, socketDir } = workerData as { dataDir: string | undefined; socketDir: string };

/**
 * WebAssembly allocates all shared buffers at the start. The default of 128 MB would be a third of the memory of an
 * idle service. With 10,000 passages, it is no faster, because the operating system caches the files anyway.
 */
const SHARED_BUFFERS = '32MB';

/**
 * How much of a function V8 runs before it compiles it a second time, with optimizations. With its own value it compiles
 * the largest functions of PostgreSQL again at every start, for a second of processor time and 40 MB. What is in use
 * reaches this one within a few hundred statements.
 */
setFlagsFromString('--wasm-tiering-budget=2000000000');

const database = await PGlite.create({
  ...(dataDir === undefined ? {} : { dataDir }),
  extensions: { vector, pg_trgm },
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
});
const server = new PGLiteSocketServer({ db: database, path: `${socketDir}/.s.PGSQL.5432` });
await server.start();
parentPort?.on('message', () => {
  void server
    .stop()
    .then(() => database.close())
    .then(() => parentPort?.postMessage('stopped'));
});
parentPort?.postMessage('started');
