import {
  startFakeServer,
  type FakeServer,
  type JsonAnswer,
  type JsonRequest,
} from '../../../test/support/fake-server.js';
import { DeadlineExceeded, ProviderFailed, TooManyRequests } from '../../errors/index.js';
import { runInContext } from '../../request/request-context.js';
import { HttpReranker } from './http-reranker.js';

const KEY = 'rerank-key-0123456789';

/** Scores each passage by its length, and sorts the results by score like a real server. */
const lengthsOf = (passages: readonly string[], scale: number) =>
  passages
    .map((passage, index) => ({ index, relevance_score: passage.length * scale }))
    .sort((a, b) => b.relevance_score - a.relevance_score);

const cohere = ({ body }: JsonRequest): JsonAnswer => ({
  json: { results: lengthsOf((body as { documents: string[] }).documents, 0.1) },
});

describe('HttpReranker', () => {
  let answer: (request: JsonRequest) => JsonAnswer | undefined;
  let server: FakeServer;
  let elsewhere: FakeServer | undefined;
  let reranker: HttpReranker;

  beforeEach(async () => {
    answer = cohere;
    server = await startFakeServer((request) => answer(request));
    reranker = connect();
  });
  afterEach(async () => {
    await server.close();
    await elsewhere?.close();
    elsewhere = undefined;
  });

  const connect = (path = '/v2', patience = { attempts: 3, withinMs: 1_000, timeoutMs: 5_000 }) =>
    new HttpReranker(
      { RERANKER_API_BASE: `${server.url}${path}`, RERANKER_API_KEY: KEY, RERANKER_MODEL: 'rerank-v3' },
      patience,
    );

  it('returns scores in the order of the passages', async () => {
    await expect(reranker.rerank('q', ['aa', 'aaaa', 'a'])).resolves.toEqual([0.2, 0.4, 0.1]);
    expect(server.requests).toEqual([
      {
        path: '/v2/rerank',
        headers: expect.objectContaining({ authorization: `Bearer ${KEY}` }) as unknown,
        body: { model: 'rerank-v3', query: 'q', documents: ['aa', 'aaaa', 'a'] },
      },
    ]);
  });

  it('accepts a URL with the path of the endpoint', async () => {
    await connect('/api/rerank/').rerank('q', ['a']);
    expect(server.requests[0]?.path).toBe('/api/rerank');
  });

  it('sends neither a key nor a model when unset', async () => {
    const bare = new HttpReranker({
      RERANKER_API_BASE: server.url,
      RERANKER_API_KEY: undefined,
      RERANKER_MODEL: undefined,
    });
    await bare.rerank('q', ['a']);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.body).toEqual({ query: 'q', documents: ['a'] });
  });

  it('detects once that a server expects texts', async () => {
    answer = ({ body }) => {
      const { texts } = body as { texts?: string[] };
      if (texts === undefined) return { status: 422, json: { error: 'missing field `texts`' } };
      return { json: texts.map((text, index) => ({ index, score: text.length / 10 })).reverse() };
    };
    await expect(reranker.rerank('q', ['aa', 'a'])).resolves.toEqual([0.2, 0.1]);
    await expect(reranker.rerank('q', ['a'])).resolves.toEqual([0.1]);
    expect(server.requests.slice(1).map(({ body }) => body)).toEqual([
      { query: 'q', texts: ['aa', 'a'], truncate: true },
      { query: 'q', texts: ['a'], truncate: true },
    ]);
  });

  it('reports a server that rejects both formats, and tries both again on the next call', async () => {
    answer = () => ({ status: 400 });
    await expect(reranker.rerank('q', ['a'])).rejects.toThrow('The reranker refused the request (400)');
    answer = cohere;
    await expect(reranker.rerank('q', ['a'])).resolves.toEqual([0.1]);
  });

  it('sends 32 passages per call', async () => {
    const passages = Array.from({ length: 70 }, (_, i) => 'x'.repeat(i % 10));
    await expect(reranker.rerank('q', passages)).resolves.toEqual(passages.map(({ length }) => length * 0.1));
    expect(server.requests.map(({ body }) => (body as { documents: string[] }).documents.length)).toEqual([
      32, 32, 6,
    ]);
  });

  it('makes no call without passages', async () => {
    await expect(reranker.rerank('q', [])).resolves.toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('maps logits into [0, 1] from the first one on', async () => {
    answer = () => ({
      json: {
        data: [
          { index: 0, relevance_score: 3 },
          { index: 1, relevance_score: 0 },
        ],
      },
    });
    await expect(reranker.rerank('q', ['a', 'b'])).resolves.toEqual([1 / (1 + Math.exp(-3)), 0.5]);
    answer = () => ({ json: { data: [{ index: 0, relevance_score: 0 }] } });
    await expect(reranker.rerank('q', ['a'])).resolves.toEqual([0.5]);
  });

  it('retries after a transient failure', async () => {
    const answers = [429, 503];
    answer = (request) => {
      const status = answers.shift();
      return status === undefined ? cohere(request) : { status, headers: { 'retry-after': '0' } };
    };
    await expect(reranker.rerank('q', ['a'])).resolves.toEqual([0.1]);
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    [{ status: 401, json: { message: KEY } }, ProviderFailed, /refused the key \(401\)$/],
    [{ status: 404 }, ProviderFailed, /does not know the model rerank-v3/],
    [{ status: 429, headers: { 'retry-after': '60' } }, TooManyRequests, /limits the rate/],
    [{ text: '<html>' }, ProviderFailed, /an unreadable response$/],
    [{ json: {} }, ProviderFailed, /a different number of items$/],
    [{ json: { results: [null] } }, ProviderFailed, /without an index and a score$/],
    [{ json: { results: [] } }, ProviderFailed, /a different number of items$/],
    [{ json: { results: [{ index: 0, relevance_score: 'high' }] } }, ProviderFailed, /without an index/],
  ])('explains the response %j without key and body', async (given, kind, sentence) => {
    answer = () => given;
    const failure = await reranker.rerank('q', ['a']).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect((failure as Error).message).toMatch(sentence);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(KEY);
  });

  it('stops at its deadline', async () => {
    answer = () => undefined;
    const hasty = connect('', { attempts: 3, withinMs: 1_000, timeoutMs: 20 });
    await expect(hasty.rerank('q', ['a'])).rejects.toBeInstanceOf(DeadlineExceeded);
  });

  it('stops when the caller aborts, with the reason of the caller', async () => {
    const caller = new AbortController();
    const reason = new Error('the caller left');
    answer = () => {
      caller.abort(reason);
      return undefined;
    };
    await expect(runInContext(caller.signal, () => reranker.rerank('q', ['a']))).rejects.toBe(reason);
  });

  it('does not follow a redirect with its key', async () => {
    elsewhere = await startFakeServer(cohere);
    const location = `${elsewhere.url}/rerank`;
    answer = () => ({ status: 307, headers: { location } });
    const once = connect('', { attempts: 1, withinMs: 1_000, timeoutMs: 5_000 });
    await expect(once.rerank('q', ['a'])).rejects.toBeInstanceOf(ProviderFailed);
    expect(elsewhere.requests).toEqual([]);
  });

  it('reports an unreachable server', async () => {
    await server.close();
    await expect(reranker.rerank('q', ['a'])).rejects.toThrow('The reranker could not be reached');
    server = await startFakeServer(cohere);
  });
});
