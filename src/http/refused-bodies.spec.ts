import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { registerJsonBodies } from './json-body.js';
import { readOnBehindRefusals } from './bodies.js';
import { pause } from '../../test/support/until.js';

const LIMIT = 1_000;
const LENGTH = 4_000_000;

describe('a rejected body', () => {
  let server: FastifyInstance;
  let port: number;

  /** @param readOnMs the time for the rest of a body; the default of the service if undefined */
  async function listen(readOnMs?: number): Promise<void> {
    server = fastify({ bodyLimit: LIMIT });
    readOnBehindRefusals(server, readOnMs);
    registerJsonBodies(server);
    server.post('/echo', () => ({}));
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
  }
  afterEach(() => server.close());

  /** Sends the headers of a request with a body of LENGTH. */
  async function begin(): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    const answer = once(socket, 'close').then(() => Buffer.concat(parts).toString());
    socket.write(
      `POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${LENGTH}\r\n\r\n`,
    );
    return { socket, answer };
  }

  /** Writes like a client, which fails with EPIPE or on a closed connection. */
  const written = (socket: Socket, part: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.write(part, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });

  it('is read to its end, so that a client that writes first receives the response', async () => {
    await listen(30_000);
    const { socket, answer } = await begin();
    for (let sent = 0; sent < LENGTH; sent += 100_000) {
      await pause(2, 'a slow client');
      await written(socket, Buffer.alloc(100_000, 'x'));
    }
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('closes the connection if it never ends', async () => {
    await listen();
    const { answer } = await begin();
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is dropped when the client disconnects', async () => {
    await listen();
    const { socket, answer } = await begin();
    socket.destroy();
    await answer;
    const { status } = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body: null });
    expect(status).toBe(200);
  });
});
