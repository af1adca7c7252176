import { LecternClient, LecternError, type CompletionEvent } from './index.js';

const DONE = { type: 'done', sources: [], usage: {}, finish_reason: 'stop', metadata: null } as const;
const TEXT = 'Die Lampe brennt — 日暮れに 🪔.';

const wire = (...events: readonly object[]): Uint8Array =>
  new TextEncoder().encode(
    events.map((event, id) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`).join(': keep-alive\n\n'),
  );

/**
 * A client whose question gets an answer of these pieces.
 * @param end how the stream ends; `cancelled` is called if the reader cancels it
 */
function streaming(chunks: readonly Uint8Array[], end: { broken?: boolean; cancelled?: () => void } = {}) {
  const rest = [...chunks];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(out) {
        const chunk = rest.shift();
        if (chunk !== undefined) out.enqueue(chunk);
        else if (end.broken === true) out.error(new TypeError('terminated'));
        else out.close();
      },
      cancel: () => end.cancelled?.(),
    },
    { highWaterMark: 0 },
  );
  return new LecternClient({
    url: 'http://lectern.test',
    fetch: () =>
      Promise.resolve(
        new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r' } }),
      ),
  });
}

async function all(events: AsyncIterable<CompletionEvent>): Promise<CompletionEvent[]> {
  const seen: CompletionEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe('a streamed completion', () => {
  const events = [{ type: 'assistant', content: TEXT }, { type: 'assistant', content: ' Ja.' }, DONE];

  it('is the same wherever its bytes are split', async () => {
    const bytes = wire(...events);
    for (let cut = 1; cut < bytes.length; cut++) {
      const client = streaming([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(await all(client.queryStream({ query: 'When?' }))).toEqual(events);
    }
  });

  it('is the same byte by byte', async () => {
    const client = streaming(Array.from(wire(...events), (byte) => Uint8Array.of(byte)));
    expect(await all(client.queryStream({ query: 'When?' }))).toEqual(events);
  });

  it('yields its pieces before a failure, then throws the error of the service', async () => {
    const failure = { type: 'error', status: 502, detail: 'The model stopped.' };
    const seen: CompletionEvent[] = [];
    const reading = async (): Promise<void> => {
      const client = streaming([wire({ type: 'assistant', content: 'At ' }, failure)]);
      for await (const event of client.queryStream({ query: 'When?' })) seen.push(event);
    };
    await expect(reading()).rejects.toMatchObject({
      status: 502,
      detail: 'The model stopped.',
      requestId: 'r',
    });
    expect(seen).toEqual([{ type: 'assistant', content: 'At ' }]);
  });

  it('throws if it breaks or ends before it is complete', async () => {
    const piece = wire({ type: 'assistant', content: 'At ' });
    for (const end of [{ broken: true }, {}]) {
      const error: unknown = await all(streaming([piece], end).queryStream({ query: 'When?' })).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(LecternError);
      expect(error).toMatchObject({ status: 0 });
    }
  });

  it('aborts the request when the caller leaves the loop', async () => {
    const cancelled = jest.fn();
    const client = streaming([wire(...events), wire(DONE)], { cancelled });
    for await (const event of client.queryStream({ query: 'When?' })) {
      expect(event).toEqual(events[0]);
      break;
    }
    expect(cancelled).toHaveBeenCalledTimes(1);
  });
});
