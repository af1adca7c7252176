import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { registerJsonBodies } from './json-body.js';
import { readOnBehindRefusals, refuseSlowBodies } from './bodies.js';
import { pause } from '../../test/support/until.js';

const WINDOW_MS = 500;

describe('a body', () => {
  let server: FastifyInstance;
  let port: number;
  let letRead: () => void;
  beforeAll(async () => {
    server = fastify();
    readOnBehindRefusals(server);
    refuseSlowBodies(server, WINDOW_MS);
    registerJsonBodies(server);
    server.post('/echo', (request) => ({ length: (request.body as string).length }));
    const read = new Promise<void>((resolve) => (letRead = resolve));
    server.post('/late', { preParsing: () => read }, (request) => ({
      length: (request.body as string).length,
    }));
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  /** Sends the headers of a JSON request with this many bytes. */
  async function begin(path: string, length: number): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
    const answer = once(socket, 'close').then(() => Buffer.concat(parts).toString());
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
    );
    return { socket, answer };
  }

  it('that arrives too slowly returns 408 and closes the connection', async () => {
    const { socket, answer } = await begin('/echo', 1_000_000);
    const drops = setInterval(() => socket.write('"'), 10);
    const text = await answer;
    clearInterval(drops);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('{"detail":"The request body arrived too slowly"}');
  });

  it('that arrives steadily has no total time limit', async () => {
    const { socket, answer } = await begin('/echo', 120 * 8_000 + 2);
    socket.write('"');
    for (let sent = 0; sent < 120; sent += 1) {
      socket.write('x'.repeat(8_000));
      await pause(10, 'a slow client');
    }
    socket.write('"');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*\{"length":960000\}$/s);
  });

  it('that waits to be read is not too slow', async () => {
    const { socket, answer } = await begin('/late', 12);
    socket.write(`"${'x'.repeat(10)}"`);
    await pause(3 * WINDOW_MS, 'a client that is too slow');
    letRead();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});
