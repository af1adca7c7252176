import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fc } from '../../../test/support/properties.js';
import { Conflict, Gone, Invalid, TooManyRequests, Unauthorized } from '../../errors/index.js';
import { runInRequest } from '../../request/request-context.js';
import { Draining } from '../draining.js';
import type { EndingKeys } from '../ending-keys.js';
import type { PrintedEvent } from '../event-text.js';
import { KeptEvents } from './kept-events.js';
import type { ResumableStream } from './resumable-stream.js';
import { KEPT_BYTES, ResumableStreams, RUNNING } from './resumable-streams.js';

const REQUEST = { id: 'r', log: { error: jest.fn() } } as unknown as FastifyRequest;
const OPEN = new AbortController().signal;

/** A source whose events come when the spec says so. */
class Source {
  private readonly news = new EventEmitter();
  private readonly events: (object | Error | null)[] = [];

  emit(event: object | Error | null): void {
    this.events.push(event);
    this.news.emit('event');
  }

  readonly read = async function* (this: Source): AsyncGenerator<object> {
    for (;;) {
      const event = this.events.shift();
      if (event === undefined) await new Promise((resolve) => this.news.once('event', resolve));
      else if (event instanceof Error) throw event;
      else if (event === null) return;
      else yield event;
    }
  }.bind(this);
}

describe('streams that go on without their connection', () => {
  let streams: ResumableStreams;
  let draining: Draining;
  let endKey: (reason: Unauthorized) => void;
  const left = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    draining = new Draining();
    const endingKeys = {
      watch: (_request: unknown, end: typeof endKey) => {
        endKey = end;
        return left;
      },
    };
    streams = new ResumableStreams(endingKeys as unknown as EndingKeys, draining);
    left.mockClear();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const begin = (
    source: Source,
    { id = 'one', owner = 'ann', appId = 'acme', content = 'q' } = {},
  ): ResumableStream => {
    const reply = { raw: new EventEmitter() } as unknown as FastifyReply;
    const wanted = { appId, owner, id, content: Buffer.from(content), about: {} };
    return runInRequest(undefined, () => streams.begin(wanted, REQUEST, reply, source.read));
  };
  const ended = async (events: readonly object[], more: Parameters<typeof begin>[1] = {}) => {
    const source = new Source();
    const stream = begin(source, more);
    for (const event of events) source.emit(event);
    source.emit(null);
    await stream.ended;
    return stream;
  };
  const read = async (stream: ResumableStream, after = -1): Promise<string> => {
    let text = '';
    for await (const event of stream.follow(after, ['header'], OPEN)) text += event.text;
    return text;
  };

  it('sends the events behind any event, also to several connections, with their ids', async () => {
    const source = new Source();
    const stream = begin(source);
    source.emit({ type: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    const first = read(stream);
    const second = read(stream, 0);
    source.emit({ type: 'b' });
    source.emit(null);
    expect(await first).toBe('id: 0\ndata: {"type":"a"}\n\nid: 1\ndata: {"type":"b"}\n\n');
    expect(await second).toBe('id: 1\ndata: {"type":"b"}\n\n');
    expect(await read(stream, 1)).toBe('');
    await expect(read(stream, 2)).rejects.toBeInstanceOf(Invalid);
    expect(left).toHaveBeenCalledTimes(1);
  });

  it('neither loses nor doubles an event, wherever connections end and begin', async () => {
    jest.useRealTimers();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('emit', 'read', 'connect'), { maxLength: 40 }),
        async (steps) => {
          const source = new Source();
          const stream = begin(source, { id: `${Math.random()}` });
          let sent = 0;
          const seen: string[] = [];
          let connection: AsyncGenerator<PrintedEvent> | undefined;
          const next = async (): Promise<boolean> => {
            connection ??= stream.follow(seen.length - 1, ['header'], OPEN);
            const event = await connection.next();
            if (event.done !== true) seen.push(event.value.text);
            return event.done !== true;
          };
          for (const step of steps) {
            if (step === 'emit') source.emit({ number: sent++ });
            if (step === 'read' && seen.length < sent) await next();
            if (step === 'connect') {
              await connection?.return(undefined);
              connection = undefined;
            }
          }
          source.emit(null);
          while (await next());
          expect(seen).toEqual(
            Array.from({ length: sent }, (_, number) => `id: ${number}\ndata: {"number":${number}}\n\n`),
          );
        },
      ),
    );
  });

  it('follows the same stream for the same id, and refuses another request with it', async () => {
    const stream = await ended([{ type: 'a' }]);
    const unread = new Source();
    expect(begin(unread)).toBe(stream);
    expect(() => begin(unread, { content: 'other' })).toThrow(Conflict);
    expect(begin(unread, { owner: 'bob' })).not.toBe(stream);
  });

  it('forgets a stream a minute after its end', async () => {
    await ended([{ type: 'a' }]);
    jest.advanceTimersByTime(59_000);
    expect(streams.find('ann', 'one')).toBeDefined();
    jest.advanceTimersByTime(1_000);
    expect(streams.find('ann', 'one')).toBeUndefined();
  });

  it('throws a failure before the first event, and forgets the stream, so that a repetition begins anew', async () => {
    const source = new Source();
    const stream = begin(source);
    const reading = read(stream);
    source.emit(new TooManyRequests('Later'));
    await expect(reading).rejects.toThrow('Later');
    expect(streams.find('ann', 'one')).toBeUndefined();
    expect(begin(new Source())).not.toBe(stream);
  });

  it('tells a later failure as the last event', async () => {
    const source = new Source();
    const stream = begin(source);
    source.emit({ type: 'a' });
    source.emit(new TooManyRequests('Later'));
    await stream.ended;
    expect(await read(stream, 0)).toBe('id: 1\ndata: {"type":"error","detail":"Later","status":429}\n\n');
    expect(streams.running('ann')).toEqual([]);
  });

  it('ends with its key', async () => {
    const source = new Source();
    const stream = begin(source);
    source.emit({ type: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    endKey(new Unauthorized('The API key was revoked'));
    expect(stream.signal.reason).toBeInstanceOf(Unauthorized);
    source.emit(new Error('aborted'));
    await stream.ended;
    expect(await read(stream, 0)).toContain('"detail":"The API key was revoked","status":401');
  });

  it('is waited for when the service stops, and then ended', async () => {
    const source = new Source();
    const stream = begin(source);
    source.emit({ type: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    jest.useRealTimers();
    stream.signal.addEventListener('abort', () => {
      source.emit(new Error('aborted'));
    });
    await draining.beforeApplicationShutdown('SIGTERM', 0);
    expect(stream.isEnded).toBe(true);
    expect(await read(stream, 0)).toContain('The service is stopping');
    await draining.beforeApplicationShutdown('SIGTERM', 60_000); // nothing is left
  });

  it.each([
    ['caller', RUNNING.caller, (at: number) => ({ id: `${at}` })],
    ['tenant', RUNNING.tenant, (at: number) => ({ id: `${at}`, owner: `${at}` })],
    ['process', RUNNING.process, (at: number) => ({ id: `${at}`, owner: `${at}`, appId: `${at}` })],
  ] as const)('has a bound of running streams for each %s', async (_, most, nameOf) => {
    const sources = Array.from({ length: most }, (__, at) => {
      const source = new Source();
      begin(source, nameOf(at));
      return source;
    });
    expect(() => begin(new Source(), nameOf(most))).toThrow(TooManyRequests);
    const [first] = sources;
    first?.emit({ type: 'a' });
    first?.emit(null);
    await jest.advanceTimersByTimeAsync(1);
    expect(() => begin(new Source(), nameOf(most))).not.toThrow();
  });

  it('keeps the newest events of a stream that is too long, and says that others are gone', async () => {
    const large = 'x'.repeat(KEPT_BYTES.stream / 8);
    const stream = await ended(Array.from({ length: 6 }, (_, number) => ({ number, large })));
    await expect(read(stream)).rejects.toBeInstanceOf(Gone);
    expect(await read(stream, 4)).toContain('"number":5');
    expect(stream.kept.bytes).toBeLessThanOrEqual(KEPT_BYTES.stream);
  });

  it('forgets ended streams, the oldest first, when all together are too long', async () => {
    const large = 'x'.repeat(KEPT_BYTES.stream / 2 - 200);
    const count = KEPT_BYTES.all / KEPT_BYTES.stream + 1;
    for (let at = 0; at < count; at += 1) await ended([{ large }], { id: `${at}` });
    const isKept = Array.from({ length: count }, (_, at) => streams.find('ann', `${at}`) !== undefined);
    expect(isKept).toEqual([false, ...Array.from({ length: count - 1 }, () => true)]);
  });
});

describe('kept events', () => {
  it('keep the newest event, however large it is', () => {
    const kept = new KeptEvents();
    kept.add({ text: 'one' });
    kept.add({ text: 'x'.repeat(1_000) });
    kept.shrink(10);
    expect([kept.next, kept.at(0), kept.at(1)?.text.length]).toEqual([2, undefined, 1_000]);
  });
});
