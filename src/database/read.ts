import type { PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { currentSignal } from '../request/request-context.js';
import { cancelStatement } from './timed-client.js';
import { isEmbedded } from './data-source.js';
import { run } from './run.js';

/**
 * Runs a statement that changes nothing, outside of any transaction. When the present request or job is aborted, nothing
 * is begun for it any more, and a server cancels what runs; the embedded database, whose one connection knows no
 * cancelling, runs it to its end.
 * @throws the reason of the signal.
 */
export async function read<Row>(dataSource: DataSource, statement: Sql): Promise<Row[]> {
  const signal = currentSignal();
  if (signal === undefined) return run(dataSource, statement);
  signal.throwIfAborted();
  const runner = dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as PoolClient;
    signal.throwIfAborted();
    const work = run<Row>(runner, statement);
    const rows = isEmbedded(dataSource) ? await work : await cancelledBy(signal, client, work);
    signal.throwIfAborted();
    return rows;
  } finally {
    await runner.release();
  }
}

/**
 * What a connection works on, cancelled by the signal. It settles after a cancel request was answered: one that comes
 * when the connection is in the pool again would hit the statement of somebody else.
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
