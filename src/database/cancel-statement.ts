import { once } from 'node:events';
import { connect } from 'node:net';
import type { Client } from 'pg';

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
export async function cancelStatement(client: Client): Promise<void> {
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
