import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { fastify, type FastifyInstance } from 'fastify';
import { recordRequest } from './request-observation.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly aborted?: boolean;
}

describe('the request log', () => {
  let server: FastifyInstance;
  let logged: (line: Line) => void = () => undefined;
  const nextLine = () =>
    new Promise<Line>((resolve) => {
      logged = resolve;
    });

  beforeAll(async () => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        const line = JSON.parse(chunk.toString()) as Line;
        if (line.msg === 'request') logged(line);
        done();
      },
    });
    server = fastify({
      logger: { stream, level: 'debug' },
      disableRequestLogging: true,
      forceCloseConnections: true,
    });
    server.decorateRequest('scope', null);
    server.addHook('onRequest', recordRequest);
    server.get('/whole/:name', () => ({}));
    server.get<{ Querystring: { status?: number } }>('/health/ready', ({ query }, reply) =>
      reply.status(query.status ?? 200).send({}),
    );
    server.get('/never', () => new Promise(() => undefined));
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => server.close());

  const url = (path: string) => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}${path}`;

  it('has one line per request, with its route instead of path and query string', async () => {
    const line = nextLine();
    await (await fetch(url('/whole/my%20will.pdf?token=secret'))).text();
    const { method, route, status, ms, aborted } = await line;
    expect({ method, route, status, aborted }).toEqual({ method: 'GET', route: '/whole/:name', status: 200 });
    expect(JSON.stringify(await line)).not.toMatch(/will|secret/);
    expect(ms).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['/health/ready', 20],
    ['/health/ready?status=503', 30],
    ['/whole/name', 30],
  ])('logs %s at level %d: healthy probes are logged at debug', async (path, level) => {
    const line = nextLine();
    await (await fetch(url(path))).text();
    expect(await line).toMatchObject({ level });
  });

  it('logs aborted requests', async () => {
    const line = nextLine();
    const leaving = new AbortController();
    const answer = fetch(url('/never'), { signal: leaving.signal });
    server.server.once('request', () => {
      leaving.abort();
    });
    await expect(answer).rejects.toThrow();
    expect(await line).toMatchObject({ method: 'GET', route: '/never', aborted: true });
  });
});
