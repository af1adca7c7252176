import type { Pool, PoolOptions } from 'pg';
import type { DataSource } from 'typeorm';
import { isEmbedded } from './data-source.js';
import { databaseFailure } from './failures.js';
import { ServerClient, type ServerConfig } from './timed-client.js';

/** The pool of a data source. Of a server, its options are those of its connections. */
export function poolOf({ driver }: DataSource): Pool & { readonly options: PoolOptions } {
  return (driver as DataSource['driver'] & { readonly master: Pool }).master;
}

/**
 * Opens a connection if the pool may have to open one. The limits of server, database, role and pooler show nowhere else,
 * and a statement on an open connection does not meet them.
 *
 * @throws the error of the server, such as `too_many_connections`
 */
export async function requireFreeConnection(dataSource: DataSource): Promise<void> {
  const pool = poolOf(dataSource);
  if (isEmbedded(dataSource) || pool.totalCount >= pool.options.max) return;
  const client = new ServerClient(configOf(pool));
  client.on('error', () => undefined); // of a connection that is about to be closed
  try {
    await client.connect();
  } finally {
    await client.end();
  }
}

/** Rows that take about 16 MB, the size of a segment of the write-ahead log. */
const SPILLED_ROWS = 1_000_000;

/**
 * Writes a temporary file if a statement has failed because of a full disk. No function of PostgreSQL tells the free
 * space, and small writes succeed on a full disk.
 *
 * @throws the error of the server if the disk is still full
 */
export async function requireFreeDisk(dataSource: DataSource): Promise<void> {
  if (isEmbedded(dataSource)) return;
  const { session } = configOf(poolOf(dataSource));
  if (!session.wasDiskFull) return;
  try {
    await dataSource.transaction(async (manager) => {
      await manager.query(`set local work_mem = '64kB'`);
      await manager.query('select count(*) from generate_series(1, $1::integer)', [SPILLED_ROWS]);
    });
  } catch (error) {
    // Another error, such as that of `temp_file_limit`, says nothing about the disk.
    if (databaseFailure(error) !== undefined) throw error;
  }
  session.wasDiskFull = false;
}

function configOf({ options }: { readonly options: PoolOptions }): ServerConfig {
  return options as unknown as ServerConfig;
}
