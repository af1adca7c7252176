import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MigrationExecutor, type DataSource, type MigrationInterface } from 'typeorm';
import { Database, SESSION_SETTINGS } from '../../src/database/data-source.js';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { entities } from '../../src/entities.js';
import { copyMigrated } from './migrated-folder.js';
import { createServerDatabase } from './server-database.js';

/**
 * A migrated database for one spec: a new database on the server of DATABASE_URL or, if the variable is not set, an
 * embedded database. Needs `npm run build` (the embedded database runs in a compiled worker).
 */
export interface TestDatabase {
  readonly dataSource: DataSource;
  close(): Promise<void>;
}

/** Long deadlines, so that specs do not fail on a busy machine. Specs about deadlines set deadlines of their own. */
const DEADLINES = { connectMs: 60_000, statementMs: 0 };

export async function openTestDatabase(): Promise<TestDatabase> {
  const server = process.env['DATABASE_URL'];
  return server === undefined ? openEmbedded() : openOnServer(server);
}

/**
 * Reverts a migration and all later migrations. The spec of a migration then writes rows of the older schema, calls
 * `migrate`, and reads the rows of the new schema.
 */
export async function revertMigration(
  dataSource: DataSource,
  migration: new () => MigrationInterface,
): Promise<void> {
  const executor = new MigrationExecutor(dataSource);
  const isExecuted = async (): Promise<boolean> =>
    (await executor.getExecutedMigrations()).some(({ name }) => name === migration.name);
  while (await isExecuted()) {
    await dataSource.undoLastMigration();
  }
}

/** Starts on a copy of a migrated folder. This takes a fifth of the time of migrating a new folder. */
async function openEmbedded(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-test-'));
  await copyMigrated(folder);
  const { dataSource, close } = await openFolder(folder);
  await dataSource.runMigrations(); // those that are newer than the last `npm run build`
  return {
    dataSource,
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openFolder(folder: string): Promise<TestDatabase> {
  const embedded = await startEmbeddedPostgres(folder);
  const dataSource = new Database({ socketDir: embedded.socketDir }, entities, DEADLINES);
  await dataSource.initialize();
  for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
    await dataSource.query('select set_config($1, $2, false)', [name, value]);
  }
  return {
    dataSource,
    async close() {
      await dataSource.destroy();
      await embedded.stop();
    },
  };
}

async function openOnServer(server: string): Promise<TestDatabase> {
  const database = await createServerDatabase(server);
  const dataSource = new Database({ url: database.url, poolSize: 4 }, entities, DEADLINES);
  await dataSource.initialize();
  await dataSource.runMigrations();
  return {
    dataSource,
    async close() {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
