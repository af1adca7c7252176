import type { DataSource } from 'typeorm';
import { createDataSource, SESSION_SETTINGS } from '../../src/database/data-source.js';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { createServerDatabase } from './server-database.js';

/**
 * A fresh migrated database for one spec: a new database on the server of DATABASE_URL when that is set, an embedded
 * one in memory otherwise. Needs `npm run build` (the embedded database runs in a compiled worker).
 */
export interface TestDatabase {
  readonly dataSource: DataSource;
  close(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const server = process.env['DATABASE_URL'];
  return server === undefined ? openEmbedded() : openOnServer(server);
}

async function openEmbedded(): Promise<TestDatabase> {
  const embedded = await startEmbeddedPostgres(undefined);
  const dataSource = createDataSource({ socketDir: embedded.socketDir });
  await dataSource.initialize();
  for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
    await dataSource.query('select set_config($1, $2, false)', [name, value]);
  }
  await dataSource.runMigrations();
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
  const dataSource = createDataSource({ url: database.url, poolSize: 4 });
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
