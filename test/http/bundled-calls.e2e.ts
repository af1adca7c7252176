import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import { Service } from '../support/service.js';

const PER_MINUTE = 100;

const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());
const search = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_documents', arguments: {} },
};

/** A door with a request that carries several calls, and the number of calls that count. */
const DOORS: readonly (readonly [string, number, (client: Client) => Promise<Answer>])[] = [
  ['POST /documents', 1, (client) => client.post('/documents', {})],
  ['POST /documents/delete of 7', 7, (client) => client.post('/documents/delete', { document_ids: ids(7) })],
  [
    'POST /documents/delete of 400',
    51,
    (client) => client.post('/documents/delete', { document_ids: ids(400) }),
  ],
  [
    'POST /batch/documents of 250',
    3,
    (client) => client.post('/batch/documents', { document_ids: ids(250) }),
  ],
  [
    'POST /batch/chunks of 101',
    2,
    (client) =>
      client.post('/batch/chunks', {
        sources: ids(101).map((document_id) => ({ document_id, chunk_number: 0 })),
      }),
  ],
  [
    'POST /ingest/requeue of 5',
    5,
    (client) => client.post('/ingest/requeue', { jobs: ids(5).map((external_id) => ({ external_id })) }),
  ],
  [
    'POST /ingest/files of 3',
    3,
    (client) => {
      const form = new FormData();
      for (const name of ['a.txt', 'b.txt', 'c.txt']) form.append('files', new Blob([name]), name);
      return client.post('/ingest/files', form);
    },
  ],
  [
    'POST /v1/embeddings of 150 texts',
    2,
    (client) => client.post('/v1/embeddings', { model: 'lectern', input: ids(150) }),
  ],
  [
    'POST /v1/vector_stores with 4 files',
    4,
    (client) =>
      client.post('/v1/vector_stores', { file_ids: ids(4).map((id) => `file-${id.replaceAll('-', '')}`) }),
  ],
  [
    'POST /v1/vector_stores/{id}/file_batches with 6 files',
    6,
    (client) =>
      client.post('/v1/vector_stores/vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d/file_batches', {
        file_ids: ids(6).map((id) => `file-${id.replaceAll('-', '')}`),
      }),
  ],
  [
    'POST /mcp with 5 calls',
    5,
    (client) =>
      client.post(
        '/mcp',
        Array.from({ length: 5 }, (_, id) => ({ ...search, id })),
        {
          headers: { accept: 'application/json, text/event-stream' },
        },
      ),
  ],
];

describe('the rate limit counts the calls of a request', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) });
  });
  afterAll(() => service.stop());

  const keyOf = async (): Promise<{ id: string; client: Client }> => {
    const answer = await service.client.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'] });
    const { id, key } = answer.json() as { id: string; key: string };
    return { id, client: service.as(key) };
  };
  const leftIn = ({ headers }: Answer): number => Number(headers.get('ratelimit-remaining'));

  it.each(DOORS)('at %s as %d', async (_door, calls, call) => {
    const { client } = await keyOf();
    await call(client);
    expect(leftIn(await client.get('/usage/app-storage'))).toBe(PER_MINUTE - calls - 1);
  });

  it('and refuses a request that carries too many', async () => {
    const { client } = await keyOf();
    const remove = () => client.post('/documents/delete', { document_ids: ids(40) });
    expect([(await remove()).status, (await remove()).status, (await remove()).status]).toEqual([
      200, 200, 429,
    ]);
  });

  it('and tells how many are left, also when it refuses, and until when', async () => {
    const { client } = await keyOf();
    const first = await client.get('/ping-of-nothing');
    expect(first.headers.get('ratelimit-limit')).toBeNull(); // an open path
    const answers: Answer[] = [];
    for (let i = 0; i <= PER_MINUTE; i += 1) answers.push(await client.get('/usage/app-storage'));
    const last = answers.at(-1);
    expect(last?.status).toBe(429);
    expect(answers.map(leftIn)).toEqual([
      ...Array.from({ length: PER_MINUTE }, (_, i) => PER_MINUTE - 1 - i),
      0,
    ]);
    expect(Number(last?.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    expect(last?.headers.get('ratelimit-limit')).toBe(String(PER_MINUTE));
  });

  it('and of those that its key or token may not make', async () => {
    const { id, client } = await keyOf();
    const { token } = (await client.post(`/keys/${id}/token`, {})).json() as { token: string };
    for (const caller of [client, service.as(token)]) {
      const answers: Answer[] = [];
      for (let i = 0; i <= PER_MINUTE; i += 1) answers.push(await caller.get('/audit'));
      expect(answers[0]?.status).toBe(403);
      expect(answers.at(-1)?.status).toBe(429);
      expect(answers.map(leftIn).slice(-2)).toEqual([0, 0]);
    }
  });

  it('and lets a key that floods wait while others use the service', async () => {
    const { client } = await keyOf();
    await (await keyOf()).client.get('/usage/app-storage');
    const begun = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await client.get('/folders')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(performance.now() - begun).toBeGreaterThan(400); // (60 / 20 - 1) times 250 ms for the last
  });

  it('and those of a browser token apart from those of its key and of other tokens', async () => {
    const { id, client } = await keyOf();
    const tokenOf = async (): Promise<Client> => {
      const { token } = (await client.post(`/keys/${id}/token`, {})).json() as { token: string };
      return service.as(token);
    };
    const [one, other] = [await tokenOf(), await tokenOf()];
    const ask = (caller: Client) => caller.post('/retrieve/chunks', { query: 5 });
    let refused: Answer | undefined;
    for (let i = 0; i <= PER_MINUTE; i += 1) refused = await ask(one);
    expect([refused?.status, refused?.json()]).toEqual([
      429,
      { detail: `More than ${PER_MINUTE} requests in a minute with this browser token` },
    ]);
    expect((await ask(other)).status).toBe(422);
    expect(leftIn(await client.get('/usage/app-storage'))).toBe(PER_MINUTE - 3);
  });
});
