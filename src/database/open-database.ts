import { resolve, join } from 'node:path';
import { Logger } from '@nestjs/common';
import pRetry from 'p-retry';
import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { StartRefused } from '../errors/index.js';
import { Database, SESSION_SETTINGS, type Entities } from './data-source.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { databaseFailure } from './failures.js';
import { DirectoryLock } from './lock/directory-lock.js';
import { migrate } from './migrate.js';
import type { Deadlines } from './timed-client.js';

/** How long a start waits before it tries a server again: half a second, then twice as long each time up to this. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Opens PostgreSQL at DATABASE_URL, or the embedded one in DATA_DIR/postgres, and brings its schema up to date.
 * @param entities those of the repositories that are asked for.
 * @param patienceMs how long a server that cannot be reached is tried again; the log has a line for each time.
 * @throws StartRefused when the server does not answer, has no usable pgvector, or DATA_DIR is held by a process.
 */
export async function openDatabase(
  settings: Settings,
  entities: Entities = [],
  patienceMs = 0,
): Promise<DataSource> {
  const database = await connectDatabase(settings, entities, patienceMs);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/**
 * The same without a look at the schema. The embedded one is made where it is missing.
 * @throws StartRefused when the server does not answer, or DATA_DIR is held by a process.
 */
export async function connectDatabase(
  settings: Settings,
  entities: Entities = [],
  patienceMs = 0,
): Promise<DataSource> {
  const deadlines = {
    connectMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
    statementMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
  };
  if (settings.DATABASE_URL === undefined) {
    return openEmbedded(resolve(settings.DATA_DIR), entities, deadlines);
  }
  const home = { url: settings.DATABASE_URL, poolSize: settings.DATABASE_POOL_SIZE };
  return openServer(home, entities, deadlines, patienceMs);
}

async function openEmbedded(folder: string, entities: Entities, deadlines: Deadlines): Promise<DataSource> {
  const lock = await DirectoryLock.acquire(folder);
  try {
    const embedded = await startEmbeddedPostgres(join(folder, 'postgres'));
    const database = new Database({ socketDir: embedded.socketDir }, entities, deadlines, async () => {
      await embedded.stop();
      lock.release();
    });
    await database.initialize();
    for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
      await database.query('select set_config($1, $2, false)', [name, value]);
    }
    return database;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openServer(
  home: { readonly url: string; readonly poolSize: number },
  entities: Entities,
  deadlines: Deadlines,
  patienceMs: number,
): Promise<DataSource> {
  const address = withoutSecrets(home.url);
  const until = performance.now() + patienceMs;
  const isWorthWaiting = (error: unknown): boolean =>
    databaseFailure(error) !== undefined && !isOfPooler(reasonOf(error)) && performance.now() < until;
  try {
    return await pRetry(() => new Database(home, entities, deadlines).initialize(), {
      retries: Infinity,
      minTimeout: 500,
      maxTimeout: LONGEST_WAIT_MS,
      shouldRetry: ({ error }) => isWorthWaiting(error),
      onFailedAttempt: ({ error }) => {
        if (!isWorthWaiting(error)) return;
        const left = Math.ceil((until - performance.now()) / 1_000);
        new Logger('Database').warn(
          `No database at ${address} yet (${reasonOf(error)}); it is tried for another ${left} s`,
        );
      },
    });
  } catch (error) {
    throw new StartRefused(`DATABASE_URL: ${refusalOf(address, reasonOf(error))}`, { cause: error });
  }
}

function refusalOf(address: string, reason: string): string {
  return isOfPooler(reason)
    ? `the pooler at ${address} refuses the settings of a connection (${reason}): set ignore_startup_parameters = options there, and the settings as docs/scaling.md says`
    : `no database to work with at ${address} (${reason})`;
}

/** A pooler that does not pass the settings of a connection on; no waiting changes that. */
function isOfPooler(reason: string): boolean {
  return reason.startsWith('unsupported startup parameter');
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
