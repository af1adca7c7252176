import { createServer, request as send, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a request. `pass`: it is forwarded; `later`: it is rejected with a 503; `lost`: it is forwarded, but
 * the response is lost.
 */
export type Fate = 'pass' | 'later' | 'lost';

export interface FlakyProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** A proxy in front of a service that applies `fateOf` to every request. */
export async function startFlakyProxy(
  target: string,
  fateOf: (request: IncomingMessage) => Fate,
): Promise<FlakyProxy> {
  const server = createServer((request, response) => {
    const fate = fateOf(request);
    if (fate === 'later') {
      request.resume();
      response.writeHead(503, { 'retry-after': '1' }).end('{"detail":"busy"}');
      return;
    }
    const { method = 'GET', headers } = request;
    const upstream = send(new URL(request.url ?? '/', target), { method, headers }, (answer) => {
      if (fate === 'pass') {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      } else {
        answer.resume().once('end', () => response.destroy());
      }
    });
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
