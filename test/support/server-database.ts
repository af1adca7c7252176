import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The PostgreSQL server of this run; undefined: it is on the embedded database. */
export const serverUrl = process.env['DATABASE_URL'];

/** Tests of what only a server has or does: a run on the embedded database leaves them out. */
export const onServer = serverUrl === undefined ? describe.skip : describe;

/** Tests of what has nothing to do with the database, or only with the embedded one: a run on a server leaves them out. */
export const onEmbedded = serverUrl === undefined ? describe : describe.skip;

/** An empty database of one spec on a PostgreSQL server. */
export interface ServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** @param server URL of any database there, with the right to create others. */
export async function createServerDatabase(server: string): Promise<ServerDatabase> {
  const name = `lectern_test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(server, `drop database ${name} with (force)`) };
}

async function asAdmin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}
