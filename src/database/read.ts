import { once } from 'node:events';
import { connect } from 'node:net';
import type { PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { currentSignal } from '../request/request-context.js';
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

const CANCEL_REQUEST_CODE = 80_877_102;
const CANCEL_TIMEOUT_MS = 2_000;

/** What PostgreSQL told a connection about itself when it began. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Sends a CancelRequest (PostgreSQL's frontend/backend protocol, "Canceling Requests in Progress") over a connection of
 * its own, which needs no place in a pool and no login; without TLS, as libpq did until version 17. The server closes it
 * once the running statement was told.
 * @throws Error when the server does not take it.
 */
async function cancelStatement(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST_CODE, processID, secretKey].forEach((word, index) => {
    request.writeInt32BE(word, 4 * index);
  });
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(CANCEL_TIMEOUT_MS, () =>
    socket.destroy(new Error('the cancel request was not answered')),
  );
  socket.end(request).resume();
  await once(socket, 'close');
}
