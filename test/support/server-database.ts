import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';

/** The PostgreSQL server of this run; undefined: the run uses the embedded database. */
export const serverUrl = process.env['DATABASE_URL'];

/**
 * Workers of a Citus cluster, `host:port` separated by commas; DATABASE_URL names the coordinator. The databases of
 * specs are distributed over the workers.
 */
export const citusWorkers = process.env['CITUS_WORKERS']?.split(',') ?? [];

/** Tests of a distributed database. Runs without a cluster skip these tests. */
export const onCluster = citusWorkers.length === 0 ? describe.skip : describe;

/** Tests of a database server. Runs on the embedded database skip these tests. */
export const onServer = serverUrl === undefined ? describe.skip : describe;

/**
 * Tests of the embedded database, and tests that are independent of the database. Runs on a server skip these tests.
 */
export const onEmbedded = serverUrl === undefined ? describe : describe.skip;

/** An empty database for one spec on a PostgreSQL server. */
export interface ServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * @param server URL of a database on the server; its user must be allowed to create databases
 * @param workers nodes to distribute the database over; an empty list: the database is not distributed
 */
export async function createServerDatabase(
  server: string,
  workers: readonly string[] = citusWorkers,
): Promise<ServerDatabase> {
  const name = `lectern_test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  if (workers.length > 0) await distribute(url.href, workers);
  return {
    url: url.href,
    async drop() {
      for (const place of [server, ...citusWorkers.map((address) => at(server, address))]) {
        await asAdmin(place, `drop database if exists ${name} with (force)`);
      }
    },
  };
}

/** A small number of shards, because few shards are fast to create. */
const SHARDS = '4';

/** Distributes a database over the workers. Needs `npm run build`. */
async function distribute(url: string, addresses: readonly string[]): Promise<void> {
  const workers = addresses.flatMap((address) => ['--worker', address]);
  // Behind a pooler the coordinator has another address.
  const coordinator = process.env['CITUS_COORDINATOR'];
  if (coordinator !== undefined) workers.push('--coordinator', coordinator);
  await promisify(execFile)(
    process.execPath,
    ['dist/cli/lectern.js', 'distribute', '--shards', SHARDS, ...workers],
    { env: { ...process.env, DATABASE_URL: url, JWT_SECRET: randomBytes(48).toString('base64url') } },
  );
}

/** Returns the URL of the same database at another address. */
export function at(server: string, address: string): string {
  const url = new URL(server);
  url.host = address;
  return url.href;
}

async function asAdmin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}
