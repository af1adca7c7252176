import { resolve, join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { StartRefused } from '../errors/index.js';
import { createDataSource, SESSION_SETTINGS } from './data-source.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { DirectoryLock } from './lock/directory-lock.js';
import { migrate } from './migrate.js';

/** A migrated database, on a server or embedded, and the way to let go of it. */
export interface OpenDatabase {
  readonly dataSource: DataSource;
  close(): Promise<void>;
}

/**
 * Opens PostgreSQL at DATABASE_URL, or the embedded one in DATA_DIR/postgres, and brings its schema up to date.
 * @throws StartRefused when the server does not answer, has no usable pgvector, or DATA_DIR is held by a process.
 */
export async function openDatabase(settings: Settings): Promise<OpenDatabase> {
  return settings.DATABASE_URL === undefined
    ? openEmbedded(resolve(settings.DATA_DIR))
    : openServer(settings.DATABASE_URL, settings.DATABASE_POOL_SIZE);
}

async function openEmbedded(folder: string): Promise<OpenDatabase> {
  const lock = await DirectoryLock.acquire(folder);
  try {
    const embedded = await startEmbeddedPostgres(join(folder, 'postgres'));
    const dataSource = createDataSource({ socketDir: embedded.socketDir });
    await dataSource.initialize();
    for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
      await dataSource.query('select set_config($1, $2, false)', [name, value]);
    }
    await migrate(dataSource);
    return {
      dataSource,
      async close() {
        await dataSource.destroy();
        await embedded.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openServer(url: string, poolSize: number): Promise<OpenDatabase> {
  const dataSource = createDataSource({ url, poolSize });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw new StartRefused(
      `DATABASE_URL: no database to work with at ${withoutSecrets(url)} (${reasonOf(error)})`,
      { cause: error },
    );
  }
  await migrate(dataSource);
  return { dataSource, close: () => dataSource.destroy() };
}

function withoutSecrets(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
}

/** An AggregateError (one failure for each address of a name) has no message of its own. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message === undefined || message === '' ? (code ?? 'no reason given') : message;
}
