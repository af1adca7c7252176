import { arch, cpus, platform, release, totalmem } from 'node:os';
import pg from 'pg';

/** The properties of the machine that affect the results. */
export async function machine(databaseUrl) {
  const processors = cpus();
  return {
    processor: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    database: databaseUrl === undefined ? 'embedded' : await serverVersion(databaseUrl),
  };
}

async function serverVersion(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select current_setting('server_version') as server, default_version as vector
     from pg_available_extensions where name = 'vector'`,
  );
  await client.end();
  if (rows.length === 0) throw new Error('the PostgreSQL of DATABASE_URL has no pgvector');
  return `PostgreSQL ${rows[0].server}, pgvector ${rows[0].vector}`;
}
