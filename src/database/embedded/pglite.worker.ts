import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** Runs embedded PostgreSQL on its own thread, so that a long query never blocks the event loop. */
const { dataDir, socketDir } = workerData as { dataDir: string | undefined; socketDir: string };

const database = await PGlite.create({
  ...(dataDir === undefined ? {} : { dataDir }),
  extensions: { vector, pg_trgm },
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
