import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';

/** The PostgreSQL server of this run; undefined: it is on the embedded database. */
export const serverUrl = process.env['DATABASE_URL'];

/**
 * Workers of a Citus cluster, `host:port` separated by commas, whose coordinator DATABASE_URL names: the databases of
 * specs are distributed over them.
 */
export const citusWorkers = process.env['CITUS_WORKERS']?.split(',') ?? [];

/** Tests of what only a distributed database has or does. */
export const onCluster = citusWorkers.length === 0 ? describe.skip : describe;

/** Tests of what only a server has or does: a run on the embedded database leaves them out. */
export const onServer = serverUrl === undefined ? describe.skip : describe;

/** Tests of what has nothing to do with the database, or only with the embedded one: a run on a server leaves them out. */
export const onEmbedded = serverUrl === undefined ? describe : describe.skip;

/** An empty database of one spec on a PostgreSQL server. */
export interface ServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * @param server URL of any database there, with the right to create others
 * @param workers over which it is distributed; none: it is not
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

/** Few shards, which are quickly made. */
const SHARDS = '4';

/** Needs `npm run build`. */
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

/** URL of the same database at another address. */
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
