import type { Sql } from 'sql-template-tag';
import type { PoolClient } from 'pg';
import { QueryFailedError, type DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { currentSignal } from '../request/request-context.js';
import { cancelStatement } from './timed-client.js';
import { isEmbedded } from './data-source.js';

/** Runs statements: the data source, or the manager of a transaction. */
export interface Queryable {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * Runs one parameterised statement and returns its rows. TypeORM returns `[rows, count]` for UPDATE and DELETE and rows
 * for all other statements.
 */
export async function run<Row>(database: Queryable, statement: Sql): Promise<Row[]> {
  const result = await database.query(statement.text, statement.values);
  if (!Array.isArray(result)) return [];
  const [rows, count] = result as unknown[];
  return (result.length === 2 && Array.isArray(rows) && typeof count === 'number' ? rows : result) as Row[];
}

/**
 * Runs a read-only statement outside any transaction. An aborted request or job starts no statement, and a server cancels
 * a running one. The embedded database has one connection and cannot cancel, so it runs the statement to its end.
 * @throws the abort reason of the signal.
 */
export async function read<Row>(dataSource: DataSource, statement: Sql): Promise<Row[]> {
  const signal = currentSignal();
  if (signal === undefined) return run(dataSource, statement);
  signal.throwIfAborted();
  // A connection of the pool without a query runner, which takes as much processor time as the statement itself.
  const [client, release] = await connectionOf(dataSource);
  let lost: Error | undefined;
  const onError = (error: Error): void => {
    lost = error;
  };
  client.on('error', onError);
  try {
    signal.throwIfAborted();
    const work = rowsOf<Row>(client, statement);
    const rows = isEmbedded(dataSource) ? await work : await cancelledBy(signal, client, work);
    signal.throwIfAborted();
    return rows;
  } finally {
    client.removeListener('error', onError);
    release(lost);
  }
}

async function connectionOf({ driver }: DataSource): Promise<[PoolClient, (error?: Error) => void]> {
  return (await (driver as PostgresDriver).obtainMasterConnection()) as [PoolClient, (error?: Error) => void];
}

async function rowsOf<Row>(client: PoolClient, { text, values }: Sql): Promise<Row[]> {
  try {
    return (await client.query(text, values)).rows as Row[];
  } catch (error) {
    throw new QueryFailedError(text, values, error as Error);
  }
}

/**
 * Awaits `work` and cancels it on abort. Settles only after the server has answered the cancel request: a late one would
 * hit the next statement of the pooled connection.
 */
async function cancelledBy<T>(signal: AbortSignal, client: PoolClient, work: Promise<T>): Promise<T> {
  let cancelling: Promise<unknown> | undefined;
  const cancel = () => {
    cancelling = cancelStatement(client).catch(() => client.end());
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelling;
  }
}
