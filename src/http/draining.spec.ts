import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { installDraining } from './draining.js';

/** Everything but intervals and the clock. */
const REAL_TIMERS = ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask', 'performance'] as const;

describe('a closing server', () => {
  let server: FastifyInstance;
  let socket: Socket;

  afterEach(() => {
    jest.useRealTimers();
    socket.destroy();
  });

  function listen(graceMs: number): void {
    server = fastify();
    installDraining(server, graceMs);
  }

  async function open(): Promise<void> {
    await server.listen({ port: 0, host: '127.0.0.1' });
    socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
  }

  it('does not wait for connections that never carried a request', async () => {
    listen(60_000);
    await open();
    await server.close();
    expect(server.server.listening).toBe(false);
  });

  it('lets running requests end', async () => {
    jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
    listen(60_000);
    let finish: (text: string) => void = () => undefined;
    const finished = new Promise<string>((resolve) => (finish = resolve));
    const arrived = new Promise<void>((resolve) => {
      server.get('/', () => {
        resolve();
        return finished;
      });
    });
    const closing = new Promise<void>((resolve) => {
      server.addHook('preClose', (done) => {
        resolve();
        done();
      });
    });
    await open();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await arrived;
    const looks = jest.spyOn(server.server, 'closeAllConnections');
    const closed = server.close();
    await closing;
    jest.advanceTimersByTime(10_000);
    expect(looks).not.toHaveBeenCalled();
    const answered = once(socket, 'data');
    finish('the answer');
    const [chunk] = (await answered) as [Buffer];
    expect(chunk.toString()).toContain('the answer');
    while (server.server.listening || looks.mock.calls.length === 0) {
      jest.advanceTimersByTime(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
  });

  it('cuts off what does not end', async () => {
    listen(0);
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
    await server.close();
    await disconnected;
    expect(server.server.listening).toBe(false);
  });
});
