import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource, SESSION_SETTINGS } from '../../src/database/data-source.js';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';

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
  const name = `lectern_test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const dataSource = createDataSource({ url: url.href, poolSize: 4 });
  await dataSource.initialize();
  await dataSource.runMigrations();
  return {
    dataSource,
    async close() {
      await dataSource.destroy();
      await asAdmin(server, `drop database ${name} with (force)`);
    },
  };
}

async function asAdmin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}
