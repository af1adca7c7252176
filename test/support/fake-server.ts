import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface JsonRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface JsonAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A body that is not JSON. */
  readonly text?: string | Uint8Array;
}

export interface FakeServer {
  readonly url: string;
  readonly requests: readonly JsonRequest[];
  close(): Promise<void>;
}

/**
 * Starts a JSON server for one spec.
 * @param answer returns the response to a request; undefined: the request gets no response
 */
export async function startFakeServer(
  answer: (request: JsonRequest) => JsonAnswer | undefined,
): Promise<FakeServer> {
  const requests: JsonRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((content) => {
      const received = {
        path: request.url ?? '',
        headers: request.headers,
        body: content === '' ? undefined : (JSON.parse(content) as unknown),
      };
      requests.push(received);
      const answered = answer(received);
      if (answered === undefined) return;
      response.writeHead(answered.status ?? 200, { 'content-type': 'application/json', ...answered.headers });
      response.end(answered.text ?? JSON.stringify(answered.json ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
