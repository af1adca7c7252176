import { inFakeTime } from '../../../test/support/in-fake-time.js';
import { AnswerGone, AnswerStopped, LecternClient, type CompletionEvent } from './index.js';

const EVENTS = [
  { type: 'sources', sources: [] },
  ...['The ', 'lamp ', 'is ', 'lit.'].map((content) => ({ type: 'assistant', content })),
  { type: 'done', sources: [], usage: {}, finish_reason: 'stop', metadata: null },
] as const;

const wire = (events: readonly object[], first: number): Uint8Array =>
  new TextEncoder().encode(
    events.map((event, at) => `id: ${first + at}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );

/** A connection: `cut` after so many bytes, or an answer without a stream. */
type Connection = { readonly cut: number } | (() => Response | Promise<Response>);

const whole: Connection = { cut: Infinity };
const broken: Connection = () => Promise.reject(new TypeError('fetch failed'));
const status =
  (code: number, detail = 'No'): Connection =>
  () =>
    Response.json({ detail }, { status: code });
const error = (id: string, event: object): Connection => {
  const text = `${id}data: ${JSON.stringify({ type: 'error', ...event })}\n\n`;
  return () => new Response(text);
};

/** A service with one answer of {@link EVENTS}, and what it was asked. The last connection is repeated. */
function serviceWith(connections: readonly Connection[], events: readonly object[] = EVENTS) {
  const asked: [method: string, lastEventId: string | null][] = [];
  const rest = [...connections];
  const client = new LecternClient({
    url: 'http://lectern.test',
    retry: { retries: 0 },
    fetch: async (request) => {
      const last = request.headers.get('last-event-id');
      asked.push([request.method, last]);
      const connection = (rest.length > 1 ? rest.shift() : rest[0]) ?? broken;
      if (typeof connection === 'function') return connection();
      const from = last === null ? 0 : Number(last) + 1;
      const bytes = wire(events.slice(from), from);
      const { cut } = connection;
      const isBroken = cut < bytes.length;
      return new Response(
        new ReadableStream<Uint8Array>({
          start(out) {
            if (cut > 0) out.enqueue(bytes.subarray(0, cut));
            if (!isBroken) out.close();
          },
          pull(out) {
            if (isBroken) out.error(new TypeError('terminated'));
          },
        }),
      );
    },
  });
  return { client, asked };
}

describe('an answer whose connection breaks', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const all = (events: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> =>
    inFakeTime(
      (async () => {
        const seen: CompletionEvent[] = [];
        for await (const event of events) seen.push(event);
        return seen;
      })(),
    );
  const question = { query: 'When?', chat_id: 'c', answer_id: 'a' };

  it('loses and doubles no event, wherever the bytes end', async () => {
    const { length } = wire(EVENTS, 0);
    for (let cut = 0; cut < length; cut += 1) {
      const { client } = serviceWith([{ cut }, { cut: 150 }, whole]);
      expect(await all(client.queryStream(question))).toEqual(EVENTS);
    }
  });

  it('asks once, and then goes on behind the last event', async () => {
    const cut = wire(EVENTS.slice(0, 2), 0).length;
    const onRetry = jest.fn();
    const { client, asked } = serviceWith([{ cut }, broken, status(503), whole]);
    expect(await all(client.queryStream(question, { onRetry }))).toEqual(EVENTS);
    expect(asked).toEqual([
      ['POST', null],
      ['GET', '1'],
      ['GET', '1'],
      ['GET', '1'],
    ]);
    expect(onRetry.mock.calls.map(([{ status: code }]: [{ status: number }]) => code)).toEqual([0, 0, 503]);
  });

  it('is followed from another client, from the beginning or behind an event', async () => {
    const { client, asked } = serviceWith([{ cut: 90 }, whole]);
    expect(await all(client.answers.follow('a'))).toEqual(EVENTS);
    expect(await all(client.answers.follow('a', { lastEventId: '3' }))).toEqual(EVENTS.slice(4));
    expect(asked.map(([method]) => method)).toEqual(['GET', 'GET', 'GET']);
  });

  it('is not given up for a minute, and then with the failure', async () => {
    const { client, asked } = serviceWith([{ cut: 90 }, broken]);
    const begun = Date.now();
    await expect(all(client.queryStream(question))).rejects.toMatchObject({ status: 0 });
    expect(Date.now() - begun).toBe(60_000);
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.length).toBeLessThan(25);
  });

  it('is given up after some seconds if the question may not have arrived', async () => {
    const { client } = serviceWith([status(503, 'It stops'), broken]);
    const begun = Date.now();
    await expect(all(client.queryStream(question))).rejects.toMatchObject({
      status: 503,
      detail: 'It stops',
    });
    expect(Date.now() - begun).toBe(8_000);
  });

  it('is broken if nothing arrives for 45 seconds', async () => {
    const silent: Connection = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (out) => {
            out.enqueue(wire(EVENTS.slice(0, 2), 0));
          },
        }),
      );
    const { client, asked } = serviceWith([silent, whole]);
    expect(await all(client.queryStream(question))).toEqual(EVENTS);
    expect(asked).toEqual([
      ['POST', null],
      ['GET', '1'],
    ]);
  });

  it.each([
    ['that is no longer kept', [{ cut: 90 }, status(404, 'Its chat has it')], { status: 404 }],
    ['whose events were dropped', [{ cut: 90 }, error('', { status: 410, detail: 'gone' })], { status: 410 }],
    ['that failed', [{ cut: 90 }, error('id: 2\n', { status: 502, detail: 'no model' })], { status: 502 }],
    ['whose key has ended', [{ cut: 90 }, status(401)], { status: 401 }],
    ['that never began', [broken, status(404)], { status: 0 }],
    ['that was refused', [status(422, 'Wrong')], { status: 422, detail: 'Wrong' }],
  ] as const)('fails as an answer %s', async (_, connections, expected) => {
    const { client } = serviceWith(connections);
    await expect(all(client.queryStream(question))).rejects.toMatchObject(expected);
  });

  it('tells an answer that is gone from a question that was refused', async () => {
    const gone = serviceWith([{ cut: 90 }, status(404)]).client;
    await expect(all(gone.queryStream(question))).rejects.toBeInstanceOf(AnswerGone);
    await expect(all(gone.answers.follow('a'))).rejects.toBeInstanceOf(AnswerGone);
    const refused = serviceWith([status(404)]).client;
    await expect(all(refused.queryStream(question))).rejects.not.toBeInstanceOf(AnswerGone);
  });

  it('goes on with another token if the one of the connection has ended', async () => {
    const expired = error('', { status: 401, detail: 'The token has expired' });
    const { client, asked } = serviceWith([expired, whole]);
    const onRetry = jest.fn();
    expect(await all(client.queryStream(question, { onRetry }))).toEqual(EVENTS);
    expect(asked).toHaveLength(2);
    expect(onRetry).not.toHaveBeenCalled(); // nobody needs to see it
  });

  it('says that it was stopped, and where its chat has it', async () => {
    const events = [...EVENTS.slice(0, 2), { type: 'stopped', message_index: 3 }];
    const { client } = serviceWith([whole], events);
    const failure: unknown = await all(client.answers.follow('a')).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(AnswerStopped);
    expect(failure).toMatchObject({ messageIndex: 3 });
  });

  it('ends with the signal, also while it waits', async () => {
    const stopping = new AbortController();
    const { client } = serviceWith([{ cut: 90 }, broken]);
    const reading = all(
      client.queryStream(question, {
        signal: stopping.signal,
        onRetry: () => {
          stopping.abort();
        },
      }),
    );
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is not opened again without an answer_id', async () => {
    const { client, asked } = serviceWith([{ cut: 90 }, whole]);
    await expect(all(client.queryStream({ query: 'When?' }))).rejects.toMatchObject({ status: 0 });
    expect(asked).toEqual([['POST', null]]);
  });
});
