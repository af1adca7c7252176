import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { Draining } from './draining.js';

describe('a closing server', () => {
  let server: FastifyInstance;
  let draining: Draining;
  let socket: Socket;

  beforeEach(() => {
    server = fastify({ return503OnClosing: false });
    draining = new Draining();
    draining.install(server);
  });

  afterEach(() => socket.destroy());

  const address = (): string => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`;

  async function open(): Promise<void> {
    await server.listen({ port: 0, host: '127.0.0.1' });
    socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
  }

  it('does not wait for connections that never carried a request', async () => {
    await open();
    await server.close();
    expect(server.server.listening).toBe(false);
  });

  it('completes running requests', async () => {
    let finish: (text: string) => void = () => undefined;
    const finished = new Promise<string>((resolve) => (finish = resolve));
    const arrived = new Promise<void>((resolve) => {
      server.get('/', () => {
        resolve();
        return finished;
      });
    });
    await open();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await arrived;
    const drained = draining.beforeApplicationShutdown();
    const refused = await fetch(address());
    expect(refused.ok).toBe(false); // the error filter of the service decides the format
    const answered = once(socket, 'data');
    finish('the answer');
    const [chunk] = (await answered) as [Buffer];
    expect(chunk.toString()).toContain('the answer');
    await drained;
    await server.close();
    expect(server.server.listening).toBe(false);
  });

  it('closes the connections of requests that do not end', async () => {
    const arrived = new Promise<void>((resolve) => {
      server.get('/', () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    await open();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await arrived;
    const disconnected = once(socket, 'close');
    await draining.beforeApplicationShutdown('SIGTERM', 0);
    await server.close();
    await disconnected;
    expect(server.server.listening).toBe(false);
  });
});
