import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import type { Service } from './service.js';

/** Returns the rows of all tables of a stopped service, as text. */
export async function everyRow({ environment, dataDir }: Service): Promise<string> {
  const url = environment['DATABASE_URL'];
  if (url !== undefined) return rowsOf({ connectionString: url });
  const embedded = await startEmbeddedPostgres(join(dataDir, 'postgres'));
  try {
    return await rowsOf({ host: embedded.socketDir, user: 'postgres', database: 'postgres' });
  } finally {
    await embedded.stop();
  }
}

async function rowsOf(config: pg.ClientConfig): Promise<string> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.push(name, ...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** Returns the files under a folder that contain `text`, including database files and write-ahead logs. */
export async function filesWith(text: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(names.map(async (name) => (await readFile(name)).includes(text)));
  return names.filter((_, index) => found[index]);
}
