import { LecternClient, LecternError, type LecternClientOptions } from './index.js';

type Answer = () => Response | Promise<Response>;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  return () => new Response(JSON.stringify(body), { status, headers });
};
const broken: Answer = () => Promise.reject(new TypeError('fetch failed'));

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}

/**
 * Returns a client whose requests get the given answers, one after the other, and the list of the requests that it has
 * sent.
 */
function scripted(answers: readonly Answer[], options: Partial<LecternClientOptions> = {}) {
  const seen: Seen[] = [];
  const rest = [...answers];
  const client = new LecternClient({
    url: 'http://lectern.test/',
    key: 'secret',
    retry: { firstWaitMs: 1 },
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const key = request.headers.get('idempotency-key');
      seen.push({ method: request.method, path: pathname + search, key, body: await request.text() });
      const next = rest.shift();
      if (next === undefined) throw new Error('no answer is left');
      return next();
    },
    ...options,
  });
  return { client, seen };
}

describe('failed requests', () => {
  it('are retried if they only read', async () => {
    const { client, seen } = scripted([broken, json({}, 503), json({}, 502), json([])]);
    await expect(client.retrieve({ query: 'lamp' })).resolves.toEqual([]);
    expect(seen).toEqual(Array(4).fill(seen[0]));
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/retrieve/chunks', body: '{"query":"lamp"}' });
  });

  it('return the last response after the last retry', async () => {
    const { client, seen } = scripted(
      [json({}, 503), json({}, 503), json({ detail: 'The database is down.' }, 503)],
      {
        retry: { retries: 2, firstWaitMs: 1 },
      },
    );
    await expect(client.folders.list()).rejects.toMatchObject({
      status: 503,
      detail: 'The database is down.',
    });
    expect(seen).toHaveLength(3);
  });

  it('are not retried if the service forbids it with X-Should-Retry', async () => {
    const refused = json({ detail: 'The language model refused the key (401)' }, 502, {
      'x-should-retry': 'false',
    });
    const { client, seen } = scripted([refused, json([])]);
    await expect(client.retrieve({ query: 'lamp' })).rejects.toMatchObject({ status: 502 });
    expect(seen).toHaveLength(1);
  });

  it('are not retried if they write', async () => {
    for (const answer of [broken, json({}, 503), json({}, 504)]) {
      const { client, seen } = scripted([answer, json({})]);
      await expect(client.delete('d')).rejects.toThrow(LecternError);
      await expect(client.loadDemo()).resolves.toEqual({});
      expect(seen.map(({ path }) => path)).toEqual(['/documents/d', '/ingest/demo']);
    }
  });

  it('are retried after a 429 even if they write, because a refused request has no effect', async () => {
    const busy = json({ detail: 'Too many requests.' }, 429, { 'retry-after': '0' });
    const { client, seen } = scripted([busy, json({ external_id: 'a' }), busy, json({ external_id: 'b' })]);
    await expect(client.ingestText({ content: 'A lamp.' })).resolves.toEqual({ external_id: 'a' });
    const file = client.ingestFile(new Blob(['A lamp.']), { filename: 'lamp.txt' });
    await expect(file).resolves.toEqual({ external_id: 'b' });
    expect(seen).toHaveLength(4);
    expect(seen[3]?.body).toContain('A lamp.');
  });

  it('are retried after the time in Retry-After', async () => {
    const { client } = scripted([json({}, 429, { 'retry-after': '1' }), json([])]);
    const begun = performance.now();
    await client.folders.list();
    expect(performance.now() - begun).toBeGreaterThan(990);
  });

  it('are not retried if Retry-After exceeds the maximum wait', async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const { client, seen } = scripted([json({ detail: 'Later.' }, 429, { 'retry-after': later }), json([])]);
    await expect(client.folders.list()).rejects.toMatchObject({ status: 429, detail: 'Later.' });
    expect(seen).toHaveLength(1);
  });

  it('have the same Idempotency-Key in all attempts of an update, and another one in the next update', async () => {
    const { client, seen } = scripted([broken, json({}, 503), json({ a: 1 }), json({ a: 2 })]);
    await expect(client.updateText('d', { content: 'More.' }, { strategy: 'add' })).resolves.toEqual({
      a: 1,
    });
    await client.updateText('d', { content: 'More.' });
    const keys = seen.map(({ key }) => key);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.slice(0, 3)).toEqual(Array(3).fill(keys[0]));
    expect(keys[3]).not.toBe(keys[0]);
    expect(seen[0]?.path).toBe('/documents/d/update_text?update_strategy=add');
    expect(seen[3]?.path).toBe('/documents/d/update_text');
  });

  it('have the same Idempotency-Key in all attempts to ingest, and another one for the next file', async () => {
    const file = new Blob(['A lamp.']);
    const running = json({ detail: 'still running' }, 409, { 'retry-after': '0' });
    const { client, seen } = scripted([broken, running, json({ external_id: 'a' }), json({}, 503), json({})]);
    const named = { filename: 'lamp.txt' };
    await expect(client.ingestFile(file, named)).resolves.toEqual({ external_id: 'a' });
    await client.updateFile('d', file, named);
    const keys = seen.map(({ key }) => key);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[3], keys[3]]);
    expect(keys[3]).not.toBe(keys[0]);
    for (const { body } of seen) expect(body).toContain('A lamp.');
  });

  it('have the key of the caller', async () => {
    const { client, seen } = scripted([broken, json({}), json({}), json({})]);
    await client.ingestText({ content: 'A lamp.' }, { idempotencyKey: 'one' });
    await client.ingestFile(new Blob(['A lamp.']), { filename: 'lamp.txt', idempotencyKey: 'two' });
    const stream = new Blob(['A lamp.']).stream();
    await client.ingestFile(stream, { filename: 'lamp.txt', idempotencyKey: 'three' });
    expect(seen.map(({ key }) => key)).toEqual(['one', 'one', 'two', 'three']);
  });

  it('are not retried after a 409 that does not pass', async () => {
    const { client, seen } = scripted([json({ detail: 'It changed' }, 409), json({})]);
    await expect(client.updateText('d', { content: 'More.' })).rejects.toMatchObject({ status: 409 });
    expect(seen).toHaveLength(1);
  });

  it('are not retried if they are questions of a chat', async () => {
    const { client, seen } = scripted([json({}, 503), json({}, 503), json({ completion: 'At dusk.' })]);
    await expect(client.query({ query: 'When?', chat_id: 'c' })).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(1);
    await expect(client.query({ query: 'When?' })).resolves.toMatchObject({ completion: 'At dusk.' });
  });

  it('report every retry of a stream', async () => {
    const done = 'data: {"type":"done"}\n\n';
    const { client } = scripted([broken, json({ detail: 'Busy.' }, 503), () => new Response(done)]);
    const failures: LecternError[] = [];
    const onRetry = (failure: LecternError): void => void failures.push(failure);
    for await (const event of client.queryStream({ query: 'When?' }, { onRetry })) {
      expect(event).toEqual({ type: 'done' });
    }
    expect(failures.map(({ status }) => status)).toEqual([0, 503]);
  });

  it('reject at once when they are aborted, also between two attempts', async () => {
    const { client, seen } = scripted([json({}, 503, { 'retry-after': '20' }), json([])]);
    const signal = AbortSignal.timeout(50);
    await expect(client.folders.list({ signal })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(seen).toHaveLength(1);
  });

  it('name the invalid values and the reasons', async () => {
    const detail = [{ loc: ['body', 'k'], msg: 'Input should be greater than 0', type: 'greater_than' }];
    const { client } = scripted([json({ detail }, 422, { 'x-request-id': 'r-1' })]);
    const error: unknown = await client.retrieve({ query: 'lamp', k: 0 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LecternError);
    expect(error).toMatchObject({
      status: 422,
      detail,
      requestId: 'r-1',
      message: '422: body.k: Input should be greater than 0',
    });
  });

  it('report a missing response, without the key', async () => {
    const { client } = scripted([broken], { retry: { retries: 0 } });
    const error: unknown = await client.get('d').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 0, message: 'No response from the service (fetch failed)' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});
