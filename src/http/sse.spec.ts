import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { Conflict, ProviderFailed } from '../errors/index.js';
import { sendError } from './error.filter.js';
import { signalOf } from './request-signal.js';
import { sendEvents } from './sse.js';

type Source = (signal: AbortSignal) => AsyncGenerator<object>;

describe('an event stream', () => {
  let server: FastifyInstance;
  let source: Source;
  let url: string;
  let outcome: Promise<void>;
  let raw: ServerResponse;

  beforeEach(async () => {
    server = fastify({ forceCloseConnections: true });
    server.setErrorHandler(sendError);
    server.get('/', async (request, reply) => {
      void reply.header('x-request-id', 'one').header('server-timing', 'embed;dur=1.0');
      ({ raw } = reply);
      outcome = sendEvents(request, reply, source(signalOf(reply)), 20);
      await outcome;
    });
    url = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  it('has one data line of JSON per event, with ids from 0', async () => {
    source = async function* () {
      yield await Promise.resolve({ type: 'assistant', content: 'a\nb' });
      yield { type: 'done' };
    };
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': 'one',
      'server-timing': 'embed;dur=1.0',
    });
    expect(await response.text()).toBe(
      'id: 0\ndata: {"type":"assistant","content":"a\\nb"}\n\nid: 1\ndata: {"type":"done"}\n\n',
    );
  });

  it('sends events that come together, such as the words of one message of a provider, in one write', async () => {
    let writes: jest.SpyInstance[] = [];
    source = async function* () {
      yield await Promise.resolve({ place: 0 });
      await new Promise((resolve) => setImmediate(resolve)); // the first event has left
      const socket = raw.socket!;
      writes = [jest.spyOn(socket, '_write'), jest.spyOn(socket, '_writev')];
      for (let place = 1; place < 100; place += 1) yield await Promise.resolve({ place });
    };
    const events = await (await fetch(url)).text();
    expect(events.match(/^data:/gm)).toHaveLength(100);
    expect(writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1);
  });

  it('returns an ordinary error if it fails before the first event', async () => {
    source = async function* () {
      await Promise.resolve();
      if (url !== '') throw new Conflict('Too early');
      yield {};
    };
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([409, { detail: 'Too early' }]);
  });

  it('ends with an error event if it fails later', async () => {
    source = async function* () {
      yield await Promise.resolve({ type: 'assistant', content: 'a' });
      throw new ProviderFailed('The model broke off');
    };
    expect(await (await fetch(url)).text()).toBe(
      'id: 0\ndata: {"type":"assistant","content":"a"}\n\n' +
        'id: 1\ndata: {"type":"error","detail":"The model broke off","status":502}\n\n',
    );
  });

  it('hides an unexpected failure', async () => {
    source = async function* () {
      yield await Promise.resolve({});
      throw new Error('secret');
    };
    const text = await (await fetch(url)).text();
    expect(text).toContain('Internal server error (request id');
    expect(text).not.toContain('secret');
  });

  it('sends comments while idle', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    source = async function* () {
      yield await Promise.resolve({});
      await finished;
    };
    const response = await fetch(url);
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes(': keep-alive\n\n')) finish();
    }
    expect(text).toMatch(/^id: 0\ndata: \{\}\n\n(: keep-alive\n\n)+$/);
  });

  it('aborts its source when the client disconnects', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    let ended = false;
    source = async function* (signal) {
      gone = once(signal, 'abort');
      try {
        yield await Promise.resolve({});
        await gone;
        signal.throwIfAborted();
      } finally {
        ended = true;
      }
    };
    const controller = new AbortController();
    await fetch(url, { signal: controller.signal });
    controller.abort();
    await gone;
    await expect(outcome).resolves.toBeUndefined();
    expect(ended).toBe(true);
  });

  it('applies backpressure for a slow client', async () => {
    let produced = 0;
    const total = 60;
    source = async function* () {
      for (; produced < total; produced++) yield await Promise.resolve({ content: 'x'.repeat(1_000_000) });
    };
    const response = await fetch(url);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBeLessThan(total);
    for (let isAtEnd = false; !isAtEnd;) ({ done: isAtEnd } = await reader.read());
    expect(produced).toBe(total);
  });
});
