import sql, { join, type Sql } from 'sql-template-tag';
import type { PoolClient } from 'pg';
import { QueryFailedError, type DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { currentSignal } from '../request/request-context.js';
import { BEGIN, cancelStatement } from './timed-client.js';
import { isEmbedded } from './data-source.js';

/** An object that runs statements: the data source, or the manager of a transaction. */
export interface Queryable {
  query(text: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * Runs one parameterised statement and returns its rows. TypeORM returns `[rows, count]` for UPDATE and DELETE, but
 * only rows for all other statements.
 */
export async function run<Row>(database: Queryable, statement: Sql): Promise<Row[]> {
  const result = await database.query(statement.text, statement.values);
  if (!Array.isArray(result)) return [];
  const [rows, count] = result as unknown[];
  return (result.length === 2 && Array.isArray(rows) && typeof count === 'number' ? rows : result) as Row[];
}

/** Settings of PostgreSQL for a single statement, such as `{ enable_hashjoin: 'off' }`. */
export type StatementSettings = Readonly<Record<string, string>>;

/**
 * Runs a read-only statement outside any transaction. If the request or job was aborted, the statement is not started.
 * If the request or job is aborted later, a server cancels the statement. The embedded database has only one connection
 * and cannot cancel, so it runs the statement to its end.
 * @param settings need a transaction, and so three more round trips
 * @throws the abort reason of the signal.
 */
export async function read<Row>(
  dataSource: DataSource,
  statement: Sql,
  settings?: StatementSettings,
): Promise<Row[]> {
  const signal = currentSignal();
  if (signal === undefined && settings === undefined) return run(dataSource, statement);
  signal?.throwIfAborted();
  // Takes a connection from the pool directly: a query runner would need as much processor time as the statement
  // itself.
  const [client, release] = await connectionOf(dataSource);
  let lost: Error | undefined;
  const onError = (error: Error): void => {
    lost = error;
  };
  client.on('error', onError);
  try {
    signal?.throwIfAborted();
    if (settings !== undefined) await begin(client, settings);
    signal?.throwIfAborted();
    const work = rowsOf<Row>(client, statement);
    const isCancellable = signal !== undefined && !isEmbedded(dataSource);
    const rows = isCancellable ? await cancelledBy(signal, client, work) : await work;
    signal?.throwIfAborted();
    return rows;
  } finally {
    if (settings !== undefined) await client.query('rollback').catch(onError);
    client.removeListener('error', onError);
    release(lost);
  }
}

async function connectionOf({ driver }: DataSource): Promise<[PoolClient, (error?: Error) => void]> {
  return (await (driver as PostgresDriver).obtainMasterConnection()) as [PoolClient, (error?: Error) => void];
}

/** Begins a transaction with settings that end with it. */
async function begin(client: PoolClient, settings: StatementSettings): Promise<void> {
  await client.query(BEGIN);
  const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
  await rowsOf(client, sql`select ${join(set)}`);
}

async function rowsOf<Row>(client: PoolClient, { text, values }: Sql): Promise<Row[]> {
  try {
    return (await client.query(text, values)).rows as Row[];
  } catch (error) {
    throw new QueryFailedError(text, values, error as Error);
  }
}

/**
 * Awaits `work`, and cancels it on abort. Settles only after the server has answered the cancel request: a late cancel
 * request would cancel the next statement of the pooled connection.
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
