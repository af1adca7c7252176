import { Documents, type Chunk } from '../../support/documents.js';
import { startFakeServer, type FakeServer } from '../../support/fake-server.js';
import { Service } from '../../support/service.js';

/** The score of the fake server: the number in the passage, in thirtieths; 0 without a number. */
const opinionOf = (passage: string): number => Number(/number (\d+)/.exec(passage)?.[1] ?? 0) / 30;

const TEXTS = Array.from({ length: 25 }, (_, i) => `The lighthouse at the harbour has the number ${i + 1}.`);
const QUERY = 'Which number has the lighthouse at the harbour?';

describe('without a reranker, which is the default,', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  it.each(['/retrieve/chunks', '/retrieve/chunks/grouped', '/query'])(
    '%s rejects use_reranking only',
    async (path) => {
      const ask = (use_reranking: boolean | null) =>
        service.client.post(path, { query: QUERY, use_reranking });
      const refused = await ask(true);
      expect([refused.status, refused.json()]).toEqual([
        422,
        {
          detail: [
            {
              loc: ['body', 'use_reranking'],
              msg: 'Value error, no reranker is available: RERANKER is none',
              type: 'value_error',
            },
          ],
        },
      ]);
      expect([(await ask(false)).status, (await ask(null)).status]).toEqual([200, 200]);
    },
  );
});

describe('with a reranker at an address,', () => {
  let service: Service;
  let reranker: FakeServer;
  beforeAll(async () => {
    reranker = await startFakeServer(({ body }) => ({
      json: {
        results: (body as { documents: string[] }).documents.map((passage, index) => ({
          index,
          relevance_score: opinionOf(passage),
        })),
      },
    }));
    service = await Service.start({ RERANKER: 'http', RERANKER_API_BASE: reranker.url });
    const documents = new Documents(() => service.client);
    for (const text of TEXTS) await documents.ingestText(text);
  });
  afterAll(async () => {
    await service.stop();
    await reranker.close();
  });

  const retrieve = async (more: object = {}): Promise<Chunk[]> => {
    const answer = await service.client.post('/retrieve/chunks', {
      query: QUERY,
      k: TEXTS.length,
      use_reranking: true,
      ...more,
    });
    expect(answer.status).toBe(200);
    return answer.json() as Chunk[];
  };

  it('the top matches have its scores, and the others no higher scores', async () => {
    const chunks = await retrieve();
    const scores = chunks.map(({ score }) => score);
    expect(chunks).toHaveLength(TEXTS.length);
    expect(scores.slice(0, 20)).toEqual(chunks.slice(0, 20).map(({ content }) => opinionOf(content)));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('scores do not depend on k', async () => {
    expect(await retrieve({ k: 3 })).toEqual((await retrieve()).slice(0, 3));
  });

  it('min_score applies to its scores', async () => {
    const wanted = (await retrieve()).filter(({ score }) => score >= 0.5);
    expect(await retrieve({ min_score: 0.5 })).toEqual(wanted);
    expect(wanted.length).toBeLessThan(TEXTS.length);
  });

  it('is called only for requests with use_reranking', async () => {
    const before = reranker.requests.length;
    await retrieve({ use_reranking: null });
    await retrieve({ use_reranking: false });
    expect(reranker.requests).toHaveLength(before);
  });
});
