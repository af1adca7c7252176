import { Documents, type DocumentRecord } from '../support/documents.js';
import { startFakeEmbeddings, type FakeEmbeddings } from '../support/fake-embeddings.mjs';
import { Random } from '../support/random.js';
import { Service } from '../support/service.js';

/** DOCUMENTS=1000 for the long run. */
const DOCUMENTS = Number(process.env['DOCUMENTS'] ?? '30');

/** Share of calls that fail; half of them with a rate limit that asks for a pause. */
const FAILING = 0.3;
const RETRY_AFTER_SECONDS = 1;

/** Requests in flight when the pause begins may arrive within this time. */
const ON_THEIR_WAY_MS = 250;

describe(`an embedder that fails ${FAILING * 100}% of its calls`, () => {
  let embeddings: FakeEmbeddings;
  let service: Service;
  const random = new Random(5);
  const arrivals: number[] = [];
  const pauses: number[] = [];
  let failures = 0;

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings({
      answer: () => {
        const now = performance.now();
        arrivals.push(now);
        if (random.next() >= FAILING) return undefined;
        failures += 1;
        if (random.next() < 0.5) return { status: 500, json: {} };
        pauses.push(now);
        return { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, json: {} };
      },
    });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_DIMENSIONS: '384',
      INGEST_CONCURRENCY: '4',
    });
  });
  afterAll(async () => {
    await service.stop();
    await embeddings.close();
  });

  it(`completes all ${DOCUMENTS} documents, and the service respects Retry-After`, async () => {
    const documents = new Documents(() => service.client);
    const ids: string[] = [];
    for (let number = 0; number < DOCUMENTS; number += 1) {
      const answer = await service.client.post('/ingest/text', {
        content: `Lighthouse ${number} is ${(number * 7) % 90} metres high.`,
      });
      ids.push((answer.json() as DocumentRecord).external_id);
    }
    for (const id of ids) {
      const { system_metadata: told } = await documents.settled(id);
      expect([told.status, told.error]).toEqual(['completed', undefined]);
    }
    expect(failures).toBeGreaterThan(DOCUMENTS * FAILING * 0.5);
    expect(pauses.length).toBeGreaterThan(0);
    const tooEarly = pauses.flatMap((pause) =>
      arrivals.filter(
        (arrival) => arrival > pause + ON_THEIR_WAY_MS && arrival < pause + RETRY_AFTER_SECONDS * 1_000,
      ),
    );
    expect(tooEarly).toEqual([]);
  });
});
