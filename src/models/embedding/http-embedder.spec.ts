import { getEventListeners } from 'node:events';
import {
  fakeVector,
  startFakeEmbeddings,
  type FakeAnswer,
  type FakeEmbeddings,
  type ReceivedRequest,
} from '../../../test/support/fake-embeddings.mjs';
import { DeadlineExceeded, ProviderFailed, TooManyRequests } from '../../errors/index.js';
import { TransientFailure } from '../providers/failures.js';
import { runInContext } from '../../request/request-context.js';
import { HttpEmbedder } from './http-embedder.js';
import { pause, until } from '../../../test/support/until.js';

const KEY = 'sk-spec-0123456789abcdef';
const DIMENSIONS = 32;

/** Matches the vectors of the fake provider, scaled to length 1. */
const unitVectors = (...texts: string[]): unknown =>
  texts.map((text) => {
    const vector = fakeVector(text, DIMENSIONS);
    const length = Math.hypot(...vector);
    return vector.map((x): unknown => expect.closeTo(x / length, 6));
  });

const times = (count: number, answer: FakeAnswer): (() => FakeAnswer)[] =>
  Array.from({ length: count }, () => () => answer);

describe('HttpEmbedder', () => {
  let fake: FakeEmbeddings;
  let elsewhere: FakeEmbeddings | undefined;
  let answers: ((request: ReceivedRequest) => FakeAnswer | undefined)[];

  beforeEach(async () => {
    answers = [];
    fake = await startFakeEmbeddings({
      dimensions: DIMENSIONS,
      answer: (request) => answers.shift()?.(request),
    });
  });
  afterEach(async () => {
    await fake.close();
    await elsewhere?.close();
    elsewhere = undefined;
  });

  const connect = (
    settings: Partial<Parameters<typeof HttpEmbedder.connect>[0]> = {},
    patience?: Parameters<typeof HttpEmbedder.connect>[1],
  ) =>
    HttpEmbedder.connect(
      {
        EMBEDDING_MODEL: 'hosted_vllm/some-model',
        EMBEDDING_API_BASE: fake.url,
        EMBEDDING_API_KEY: KEY,
        EMBEDDING_DIMENSIONS: DIMENSIONS,
        EMBEDDING_BATCH_SIZE: 3,
        EMBEDDING_COSINE_FLOOR: undefined,
        ...settings,
      },
      patience,
    );

  it('makes no calls during Retry-After of the provider', async () => {
    const arrivals: number[] = [];
    let pausedAt = 0;
    const embedder = await connect();
    answers = Array.from({ length: 3 }, (_, call) => () => {
      arrivals.push(performance.now());
      if (call > 0) return undefined;
      pausedAt = performance.now();
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    const first = embedder.embedDocuments(['one']);
    await until('the first call is refused', () => pausedAt > 0);
    await pause(500, 'the answer arrives, and the pause of the embedder begins');
    await Promise.all([first, embedder.embedQuery('two')]);
    expect(arrivals).toHaveLength(3);
    for (const arrival of arrivals.slice(1)) expect(arrival - pausedAt).toBeGreaterThanOrEqual(1_000);
  });

  it('fails a query immediately if Retry-After exceeds its time limit', async () => {
    const embedder = await connect();
    answers = times(1, { status: 429, headers: { 'retry-after': '600' } });
    await expect(embedder.embedDocuments(['one'])).rejects.toMatchObject({ status: 429 });
    await expect(embedder.embedQuery('two')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 600 });
    expect(fake.requests).toHaveLength(1);
  });

  it('sends the model name without its prefix, the key and the text', async () => {
    const embedder = await connect();
    await embedder.embedQuery('harbour');
    expect(fake.requests).toEqual([
      {
        path: '/v1/embeddings',
        headers: expect.objectContaining({ authorization: `Bearer ${KEY}` }) as unknown,
        body: { model: 'some-model', input: ['harbour'], encoding_format: 'float' },
      },
    ]);
    expect(embedder).toMatchObject({ model: 'hosted_vllm/some-model', dimensions: DIMENSIONS });
  });

  it('sends no authorization without a key', async () => {
    await (await connect({ EMBEDDING_API_KEY: undefined })).embedQuery('harbour');
    expect(fake.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('scales vectors to length 1', async () => {
    const vector = await (await connect()).embedQuery('harbour authority');
    expect([Array.from(vector)]).toEqual(unitVectors('harbour authority'));
  });

  it('sends documents in batches and returns their vectors in order', async () => {
    const texts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
    const vectors = await (await connect()).embedDocuments(texts);
    expect(fake.requests.map(({ body }) => (body['input'] as string[]).length).sort()).toEqual([1, 3, 3]);
    expect(vectors.map((vector) => Array.from(vector))).toEqual(unitVectors(...texts));
  });

  it('orders vectors by their index', async () => {
    answers.push(() => ({
      json: {
        data: [
          { index: 1, embedding: [0, 2, ...Array<number>(30).fill(0)] },
          { index: 0, embedding: [2, 0, ...Array<number>(30).fill(0)] },
        ],
      },
    }));
    const [first, second] = await (await connect()).embedDocuments(['a', 'b']);
    expect([first?.[0], second?.[1]]).toEqual([1, 1]);
  });

  it('sends no request for an empty list', async () => {
    await expect((await connect()).embedDocuments([])).resolves.toEqual([]);
    expect(fake.requests).toEqual([]);
  });

  it('determines the vector length of an unknown model at start', async () => {
    const embedder = await connect({ EMBEDDING_DIMENSIONS: undefined });
    expect(embedder.dimensions).toBe(DIMENSIONS);
    expect(fake.requests).toHaveLength(1);
  });

  it('sends no request at start for a known model', async () => {
    const embedder = await connect({
      EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      EMBEDDING_DIMENSIONS: undefined,
    });
    expect(embedder.dimensions).toBe(1_536);
    expect(fake.requests).toEqual([]);
  });

  it('sends the configured dimensions to a known model', async () => {
    await (await connect({ EMBEDDING_MODEL: 'openai/text-embedding-3-small' })).embedQuery('harbour');
    expect(fake.requests[0]?.body).toMatchObject({ dimensions: DIMENSIONS });
  });

  it('sends the configured dimensions to an unknown model after a longer vector', async () => {
    const embedder = await connect({ EMBEDDING_DIMENSIONS: 8 });
    const shorten = ({ body }: ReceivedRequest): FakeAnswer => ({
      json: { data: [{ index: 0, embedding: Array<number>(body['dimensions'] as number).fill(1) }] },
    });
    answers.push(() => undefined, shorten, shorten);
    await expect(embedder.embedQuery('harbour')).resolves.toHaveLength(8);
    await expect(embedder.embedQuery('port')).resolves.toHaveLength(8);
    expect(fake.requests.map(({ body }) => body['dimensions'])).toEqual([undefined, 8, 8]);
  });

  it('rejects vectors of another length', async () => {
    const embedder = await connect({ EMBEDDING_DIMENSIONS: 8 });
    await expect(embedder.embedQuery('harbour')).rejects.toThrow(
      /returned vectors of 32 dimensions instead of 8/,
    );
  });

  it("adds the model's query and passage prefixes", async () => {
    const embedder = await connect({ EMBEDDING_MODEL: 'hosted_vllm/intfloat/e5-base-v2' });
    await embedder.embedQuery('harbour');
    await embedder.embedDocuments(['the port']);
    expect(fake.requests.map(({ body }) => body['input'])).toEqual([
      ['query: harbour'],
      ['passage: the port'],
    ]);
  });

  it.each([429, 500, 503])('retries after status %d', async (status) => {
    const embedder = await connect();
    answers.push(() => ({ status, headers: { 'retry-after': '0' } }));
    await expect(embedder.embedQuery('harbour')).resolves.toHaveLength(DIMENSIONS);
    expect(fake.requests).toHaveLength(2);
  });

  it('forwards a rate limit with Retry-After if it exceeds the time limit', async () => {
    const embedder = await connect();
    answers.push(() => ({ status: 429, headers: { 'retry-after': '600' } }));
    const failure = await embedder.embedQuery('harbour').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TooManyRequests);
    expect(failure).toMatchObject({ retryAfterSeconds: 600 });
    expect(fake.requests).toHaveLength(1);
  });

  it('fails after the last retry', async () => {
    const embedder = await connect();
    answers.push(...times(3, { status: 500, headers: { 'retry-after': '0' } }));
    await expect(embedder.embedQuery('harbour')).rejects.toBeInstanceOf(TransientFailure);
    expect(fake.requests).toHaveLength(3);
  });

  it.each([
    [
      400,
      { error: { message: KEY, code: 'context_length_exceeded' } },
      /refused the request \(400, context_length_exceeded\)$/,
    ],
    [401, { error: { message: `Incorrect API key: ${KEY}` } }, /refused the key \(401\)$/],
    [404, { error: { message: 'no such model' } }, /does not know the model some-model/],
    [422, { detail: [{ msg: KEY, code: KEY }] }, /refused the request \(422\)$/],
    [429, { error: { code: 'insufficient_quota' } }, /quota is used up$/],
  ])('reports status %d without the key or the response body', async (status, json, sentence) => {
    const embedder = await connect();
    answers.push(() => ({ status, json }));
    const failure = await embedder.embedQuery('harbour').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderFailed);
    expect((failure as Error).message).toMatch(sentence);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(KEY);
    expect(fake.requests).toHaveLength(1);
  });

  it.each([
    ['fewer vectors', { json: { data: [] } }],
    ['no list', { json: { object: 'list' } }],
    ['an item without a vector', { json: { data: [{ index: 0 }] } }],
    ['words in a vector', { json: { data: [{ index: 0, embedding: ['a'] }] } }],
    ['a vector of zeros', { json: { data: [{ index: 0, embedding: [0, 0] }] } }],
    ['an index out of range', { json: { data: [{ index: 7, embedding: [1, 0] }] } }],
    ['a page of HTML', { text: '<html>', headers: { 'content-type': 'text/html' } }],
    ['broken JSON', { text: '{"data": [' }],
  ])('rejects an answer with %s', async (_, answer) => {
    const embedder = await connect();
    answers.push(() => answer);
    await expect(embedder.embedQuery('harbour')).rejects.toBeInstanceOf(ProviderFailed);
  });

  it('does not follow redirects', async () => {
    elsewhere = await startFakeEmbeddings({ dimensions: DIMENSIONS });
    const embedder = await connect();
    answers.push(...times(3, { status: 307, headers: { location: `${elsewhere.url}/embeddings` } }));
    await expect(embedder.embedQuery('harbour')).rejects.toBeInstanceOf(ProviderFailed);
    expect(elsewhere.requests).toEqual([]);
  });

  it('aborts a call with the abort reason of the request', async () => {
    const embedder = await connect();
    const caller = new AbortController();
    const reason = new Error('the caller left');
    answers.push(() => {
      caller.abort(reason);
      return { never: 'headers' };
    });
    await expect(runInContext(caller.signal, () => embedder.embedQuery('harbour'))).rejects.toBe(reason);
  });

  it('removes its listeners from the signal of the request', async () => {
    const embedder = await connect({ EMBEDDING_BATCH_SIZE: 1 });
    const { signal } = new AbortController();
    await runInContext(signal, async () => {
      await embedder.embedQuery('harbour');
      await embedder.embedDocuments(['one', 'two']);
      answers.push(() => ({ status: 401 }));
      await expect(embedder.embedDocuments(['three', 'four'])).rejects.toBeInstanceOf(ProviderFailed);
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('aborts the other batches after a failed batch', async () => {
    const embedder = await connect({ EMBEDDING_BATCH_SIZE: 1 });
    answers.push(() => ({ status: 401 }));
    answers.push(...times(3, { never: 'headers' }));
    await expect(embedder.embedDocuments(Array<string>(50).fill('text'))).rejects.toBeInstanceOf(
      ProviderFailed,
    );
    await expect(embedder.embedDocuments(['the next document'])).resolves.toHaveLength(1);
    expect(fake.requests.length).toBeLessThanOrEqual(5);
  });

  it('reports an unreachable provider', async () => {
    const embedder = await connect();
    await fake.close();
    await expect(embedder.embedQuery('harbour')).rejects.toThrow(
      'The embedding provider could not be reached',
    );
  }, 20_000);

  it.each(['headers', 'body'] as const)(
    'fails at the deadline if the %s of an answer never arrives',
    async (never) => {
      const patience = { attempts: 3, withinMs: 1_000, timeoutMs: 20 };
      const embedder = await connect({}, { query: patience, document: patience });
      answers.push(() => ({ never }));
      await expect(embedder.embedQuery('harbour')).rejects.toBeInstanceOf(DeadlineExceeded);
    },
  );
});
