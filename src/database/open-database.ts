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
import { migrate, requireMigrated } from './migrate.js';
import type { Deadlines } from './timed-client.js';

/** Maximum delay between attempts to reach a server at start-up. The delay begins with half a second and doubles. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Opens PostgreSQL at DATABASE_URL, or embedded PostgreSQL in DATA_DIR/postgres, and migrates the schema.
 * @param entities the entities whose repositories are used
 * @param patienceMs how long to retry an unreachable server; each failed attempt is logged
 * @throws StartRefused if the server does not answer or has no usable pgvector, or if another process uses DATA_DIR.
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
 * Opens the database like {@link openDatabase} for a command, which never migrates the schema.
 * @throws StartRefused also if the schema is that of another version
 */
export async function openMigrated(settings: Settings, entities: Entities = []): Promise<DataSource> {
  const database = await connectDatabase(settings, entities);
  try {
    await requireMigrated(database);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/**
 * Opens the database like {@link openDatabase}, but does not migrate the schema. Creates the embedded database if it
 * does not exist.
 * @throws StartRefused when the server does not answer, or another process uses DATA_DIR.
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
          `No database at ${address} yet (${reasonOf(error)}); retrying for another ${left} s`,
        );
      },
    });
  } catch (error) {
    throw new StartRefused(`DATABASE_URL: ${refusalOf(address, reasonOf(error))}`, { cause: error });
  }
}

function refusalOf(address: string, reason: string): string {
  return isOfPooler(reason)
    ? `the pooler at ${address} rejects the connection settings (${reason}): set ignore_startup_parameters = options there, and apply the settings in docs/operate/scale.md`
    : `cannot use the database at ${address} (${reason}): start it and let it admit this user, or set DATABASE_URL to another one`;
}

/** Recognises the error of a pooler that rejects connection settings. A retry does not help against this error. */
function isOfPooler(reason: string): boolean {
  return reason.startsWith('unsupported startup parameter');
}

function withoutSecrets(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
}

/**
 * Returns the message of an error. If the message is empty, returns the code of the error. The message is empty for an
 * AggregateError, which has one failure for each address of a host name.
 */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message === undefined || message === '' ? (code ?? 'no reason given') : message;
}
