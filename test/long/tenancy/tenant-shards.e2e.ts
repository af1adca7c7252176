import { scopeOf, shardOf } from '../../../src/auth/scope.js';
import type { Answer, Client } from '../../support/client.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { FakeEmbeddedService } from '../../support/fake-embedded-service.js';
import { Random } from '../../support/random.js';
import type { Service } from '../../support/service.js';

const DOCUMENTS = 150;
const FOLDERS = [null, '/a', '/a/b', '/c'] as const;
const PARTS = 4;

/** One of two tenants with the same documents. */
interface Tenant {
  readonly appId: string;
  readonly name: string;
  readonly client: Client;
  readonly documents: Documents;
  /** In the order of ingestion, which is also the order of the ids. */
  readonly ids: string[];
}

/** A request sent to both tenants. */
type Ask = (tenant: Tenant) => Promise<Answer>;

describe('a sharded tenant', () => {
  let fake: FakeEmbeddedService;
  let service: Service;
  let whole: Tenant;
  let parted: Tenant;

  beforeAll(async () => {
    fake = await FakeEmbeddedService.start();
    ({ service } = fake);
    whole = await tenant('whole', 1);
    parted = await tenant('parted', PARTS);
    await Promise.all([whole, parted].map((one) => store(one, DOCUMENTS)));
  });
  afterAll(() => fake.stop());

  const make = (body: object): Promise<Answer> => service.client.post('/cloud/generate_uri', body);

  async function tenant(name: string, parts: number): Promise<Tenant> {
    const answer = await make({ name, parts });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('app_id')]);
    const { app_id: appId, uri } = answer.json() as { readonly app_id: string; readonly uri: string };
    const key = /:([\w.-]+)@/.exec(uri)?.[1] ?? null;
    const documents = new Documents(() => service.as(key));
    return {
      appId,
      name,
      get client() {
        return service.as(key);
      },
      documents,
      ids: [],
    };
  }

  /** Ingests the same texts and metadata for each tenant, some with several chunks. */
  async function store({ client, documents, ids }: Tenant, count: number): Promise<void> {
    const random = new Random(7);
    for (let number = 0; number < count; number += 1) {
      const folder = random.pick(FOLDERS);
      const answer = await client.post('/ingest/text', {
        content: Array.from({ length: 1 + random.below(4) }, () => random.words(120)).join('\n\n'),
        filename: `report ${random.below(1_000)} of ${number}.txt`,
        metadata: {
          number,
          tenth: number % 10,
          tags: [`t${number % 3}`, `u${number % 7}`],
          half: number / 2,
        },
        ...(folder === null ? {} : { folder_name: folder }),
        ...(number % 5 === 0 ? { end_user_id: 'ann' } : {}),
      });
      if (answer.status !== 200) throw new Error(answer.text);
      const { external_id: id } = answer.json() as DocumentRecord;
      ids.push(id);
      // Sequential, so that both tenants have the same order of changes.
      await documents.settled(id);
    }
  }

  /** Returns a response with names common to both tenants instead of ids and times. */
  function told({ appId, name, ids }: Tenant, { status, text }: Answer): unknown {
    const numbers = new Map(ids.map((id, number) => [id, `document-${String(number).padStart(4, '0')}`]));
    const shared = text
      .replaceAll(appId, '<tenant>')
      .replaceAll(`"${name}"`, '"<name>"')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => numbers.get(id) ?? '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/"timings_ms":\{[^}]*\}/g, '"timings_ms":{}');
    expect(shared).not.toContain('\\u001f');
    return [status, JSON.parse(shared) as unknown];
  }

  /** Sends a request to both tenants and expects equal responses. @returns the response */
  async function agree(ask: Ask): Promise<unknown> {
    const expected = told(whole, await ask(whole));
    expect(told(parted, await ask(parted))).toEqual(expected);
    return expected;
  }

  const posts =
    (path: string, body: object | ((tenant: Tenant) => object), headers = {}): Ask =>
    (tenant) =>
      tenant.client.post(path, typeof body === 'function' ? body(tenant) : body, { headers });
  const gets =
    (path: string | ((tenant: Tenant) => string)): Ask =>
    (tenant) =>
      tenant.client.get(typeof path === 'function' ? path(tenant) : path);
  const idOf = ({ ids }: Tenant, number: number): string => ids[number] ?? '';

  const query = 'w1 w3 w17 w250 w399';
  const SELECTIONS: readonly object[] = [
    {},
    { filters: { tenth: { $in: [1, 4, 7] } } },
    { filters: { number: { $gte: 20, $lt: 35 } } },
    { filters: { half: { $gt: 50.5 }, tags: 't1' } },
    { filters: { $or: [{ tags: { $in: ['u3', 'u6'] } }, { filename: { $regex: 'of 1\\d\\d' } }] } },
    { folder_name: '/a' },
    { folder_name: '/a', folder_depth: -1 },
    { folder_name: ['/c', '/a/b'], end_user_id: 'ann' },
    { filters: { number: 3 } },
    { filters: { number: -1 } },
  ];

  const READS: readonly [string, Ask][] = [
    ...SELECTIONS.flatMap((selection, at): [string, Ask][] => [
      [`passages ${at}`, posts('/retrieve/chunks', { query, k: 100, ...selection })],
      [`best passages ${at}`, posts('/retrieve/chunks', { query: 'w2 w5 w90', k: 3, ...selection })],
      [`documents ${at}`, posts('/retrieve/docs', { query, k: 20, ...selection })],
      [`names ${at}`, posts('/search/documents', { query: 'report 1', limit: 50, ...selection })],
    ]),
    ['an answer with its sources', posts('/query', { query, k: 4, chat_id: 'watch', ...SELECTIONS[6] })],
    ['passages with a minimum score', posts('/retrieve/chunks', { query, k: 100, min_score: 0.35 })],
    [
      'what a score is made of',
      posts(
        '/retrieve/chunks/grouped',
        { query, k: 30, padding: 2, use_colpali: true },
        { 'x-explain': 'true' },
      ),
    ],
    [
      'passages by their numbers',
      posts('/batch/chunks', (tenant) => ({
        sources: [5, 1, 77, 3].map((number) => ({ document_id: idOf(tenant, number), chunk_number: 0 })),
      })),
    ],
    [
      'documents by their ids',
      posts('/batch/documents', ({ ids }) => ({ document_ids: [...ids.slice(30, 90), 'no-id'].reverse() })),
    ],
    ...(['created_at', 'filename', 'external_id'] as const).flatMap((sort_by): [string, Ask][] =>
      (['asc', 'desc'] as const).map((sort_direction): [string, Ask] => [
        `a page of the list by ${sort_by} ${sort_direction}`,
        posts('/documents', { sort_by, sort_direction, skip: 37, limit: 50 }),
      ]),
    ),
    [
      'a list with texts and counts',
      posts('/documents?folder_name=/a&folder_depth=-1', {
        sort_by: 'created_at',
        limit: 60,
        document_filters: { tenth: { $lt: 6 } },
        fields: ['filename', 'metadata', 'system_metadata.content'],
        include_total_count: true,
        include_status_counts: true,
        include_folder_counts: true,
      }),
    ],
    [
      'the newest of a name',
      async ({ client, documents, ids }) => {
        const { filename } = await documents.get(ids[40] ?? '');
        return client.get(`/documents/filename/${encodeURIComponent(filename ?? '')}`);
      },
    ],
    ['folders', gets('/folders')],
    ['how many documents folders have', gets('/folders/summary')],
    ['a folder', gets(`/folders/${encodeURIComponent('/a')}`)],
    [
      'folders with their documents',
      posts('/folders/details', {
        include_document_count: true,
        include_status_counts: true,
        include_documents: true,
        document_filters: { tenth: { $ne: 2 } },
        document_fields: ['filename', 'system_metadata.content'],
        document_skip: 2,
        document_limit: 9,
        sort_by: 'filename',
        sort_direction: 'asc',
      }),
    ],
    ['what is stored', gets('/usage/app-storage')],
  ];
  const AFTER_A_CHANGE = new Set([
    'passages 1',
    'passages 6',
    'documents 0',
    'a list with texts and counts',
    'folders with their documents',
    'what is stored',
  ]);
  const TOUCHED = [2, 3, 4, 5, 6, 7, 8, 9];
  const RECORDS: readonly [string, Ask][] = TOUCHED.flatMap((number): [string, Ask][] => [
    [`document ${number}`, gets((tenant) => `/documents/${idOf(tenant, number).toUpperCase()}`)],
    [`the status of document ${number}`, gets((tenant) => `/documents/${idOf(tenant, number)}/status`)],
    [`the summary of document ${number}`, gets((tenant) => `/documents/${idOf(tenant, number)}/summary`)],
  ]);

  it.each(READS)('responds like an unsharded tenant: %s', async (_name, ask) => {
    expect(await agree(ask)).toEqual([200, expect.anything()]);
  });

  it('has documents in all shards, and file links that work without a key', async () => {
    const parts = new Set<string>();
    const named = new Set<unknown>();
    for (const id of parted.ids.slice(0, 30)) {
      const answer = (await parted.client.get(`/documents/${id}/download_url`)).json() as {
        readonly download_url: string;
      };
      const { search, searchParams } = new URL(answer.download_url);
      const [payload = ''] = (searchParams.get('token') ?? '').split('.');
      named.add((JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[])[0]);
      parts.add(shardOf(scopeOf('any', [], 'key', { shards: PARTS }), id).appId);
      const file = await service.as(null).get(`/files${search}`);
      expect([file.status, file.text]).toEqual([200, await parted.documents.text(id)]);
    }
    expect(parts.size).toBe(PARTS);
    expect(named.size).toBe(1); // a link names the tenant, whose shards are no concern of its reader
  });

  it.each<[string, Ask]>([
    [
      'metadata is updated',
      (tenant) =>
        tenant.client.post(`/documents/${idOf(tenant, 2)}/update_metadata`, {
          metadata: { tenth: 1, new: [1] },
        }),
    ],
    [
      'a text is added to, twice under one key',
      async (tenant) => {
        const path = `/documents/${idOf(tenant, 3)}/update_text`;
        const again = { headers: { 'idempotency-key': 'once' } };
        const content = new Random(3).words(150);
        await tenant.client.post(path, { content }, again);
        const other = await tenant.client.post(
          `/documents/${idOf(tenant, 4)}/update_text`,
          { content },
          again,
        );
        expect(other.status).toBe(409);
        return tenant.client.post(path, { content }, again);
      },
    ],
    [
      'a text is replaced',
      (tenant) =>
        tenant.client.post(`/documents/${idOf(tenant, 4)}/update_text?update_strategy=replace`, {
          content: new Random(4).words(400),
        }),
    ],
    [
      'a file is added',
      async (tenant) => {
        const form = new FormData();
        form.append('file', new Blob([new Random(5).words(200)]), 'more.txt');
        const answer = await tenant.client.post(`/documents/${idOf(tenant, 5)}/update_file`, form);
        await tenant.documents.settled(idOf(tenant, 5));
        return { ...answer, text: '{}' };
      },
    ],
    [
      'a document is ingested again',
      async (tenant) => {
        const answer = await tenant.client.post('/ingest/requeue', {
          jobs: [{ external_id: idOf(tenant, 6) }, { external_id: idOf(tenant, 3) }],
        });
        await tenant.documents.settled(idOf(tenant, 6));
        return answer;
      },
    ],
    [
      'a summary is written',
      (tenant) => tenant.client.put(`/documents/${idOf(tenant, 7)}/summary`, { content: 'In short.' }),
    ],
    [
      'a document is put into another folder',
      (tenant) => tenant.client.post(`/folders/${encodeURIComponent('/a/b')}/documents/${idOf(tenant, 8)}`),
    ],
    [
      'a document is put into a new folder',
      async (tenant) => {
        await tenant.client.post('/folders', { name: '/d/e' });
        return tenant.client.post(`/folders/${encodeURIComponent('/d/e')}/documents/${idOf(tenant, 9)}`);
      },
    ],
    [
      'a document is taken out of a folder',
      (tenant) => tenant.client.delete(`/folders/${encodeURIComponent('/a/b')}/documents/${idOf(tenant, 8)}`),
    ],
    [
      'a folder is moved with what is below it',
      (tenant) => tenant.client.post(`/folders/${encodeURIComponent('/a')}/move`, { new_path: '/x/a' }),
    ],
    [
      'documents are deleted',
      async (tenant) => {
        expect((await tenant.client.delete(`/documents/${idOf(tenant, 20)}`)).status).toBe(200);
        const document_ids = [...tenant.ids.slice(20, 32), 'no-id'];
        return tenant.client.post('/documents/delete', { document_ids });
      },
    ],
    [
      'a folder is deleted with its documents',
      (tenant) => tenant.client.delete(`/folders/${encodeURIComponent('/x')}?recursive=true`),
    ],
    [
      'the folder is made anew',
      async (tenant) => {
        await store(tenant, 12);
        return tenant.client.get('/folders');
      },
    ],
  ])('responds like an unsharded tenant when %s', async (_name, change) => {
    expect(await agree(change)).toEqual([200, expect.anything()]);
    for (const [, ask] of [...READS.filter(([name]) => AFTER_A_CHANGE.has(name)), ...RECORDS])
      await agree(ask);
  });

  it('resumes ingestion after kill -9', async () => {
    for (const { client, ids } of [whole, parted]) {
      for (let number = 0; number < 25; number += 1) {
        const content = new Random(number).words(300);
        const answer = await client.post('/ingest/text', { content, filename: `late ${number}` });
        ids.push((answer.json() as DocumentRecord).external_id);
      }
    }
    await service.kill9();
    await service.restart();
    for (const { documents, ids } of [whole, parted]) {
      for (const id of ids.slice(-25)) {
        expect((await documents.settled(id)).system_metadata.status).toBe('completed');
      }
    }
    for (const [, ask] of READS) await agree(ask);
  });

  it('is isolated from other tenants', async () => {
    const id = idOf(parted, 50);
    expect((await parted.client.get(`/documents/${id}`)).status).toBe(200);
    const stranger = await tenant('stranger', PARTS);
    for (const { client } of [whole, stranger]) {
      expect((await client.get(`/documents/${id}`)).status).toBe(404);
      expect((await client.get(`/documents/${id}/file`)).status).toBe(404);
      expect((await client.post(`/documents/${id}/update_text`, { content: 'Mine.' })).status).toBe(404);
      expect((await client.delete(`/documents/${id}`)).status).toBe(404);
      expect((await client.post('/batch/documents', { document_ids: [id] })).json()).toEqual([]);
      const sources = [{ document_id: id, chunk_number: 0 }];
      expect((await client.post('/batch/chunks', { sources })).json()).toEqual([]);
    }
    expect(await stranger.documents.retrieve({ query, k: 100 })).toEqual([]);
    expect((await stranger.client.get('/folders')).json()).toEqual([]);
  });

  it.each([1, 2, 3])('has no addressable shards: shard %i', async (number) => {
    const part = `${parted.appId}\u001f${number}`;
    const named = encodeURIComponent(part);
    expect((await make({ name: 'thief', app_id: part })).status).toBe(422);
    expect((await make({ name: part })).status).toBe(422);
    expect((await service.client.post('/keys', { name: 'k', scopes: ['admin'], app_id: part })).status).toBe(
      422,
    );
    expect((await service.client.post(`/apps/rotate_token?app_id=${named}`)).status).toBe(404);
    expect((await service.client.post(`/apps/rotate_token?app_name=${named}`)).status).toBe(404);
    expect((await service.client.delete(`/apps?app_name=${named}`)).status).toBe(404);
    const rename = (old: string, now: string): Promise<Answer> =>
      service.client.call('PATCH', `/apps/rename?app_name=${old}&new_name=${now}`);
    expect((await rename(named, 'mine')).status).toBe(404);
    expect((await rename('whole', named)).status).toBe(422);
    expect((await service.client.get('/apps')).text).not.toContain('\\u001f');
  });

  it.each([0, 65, 1.5, 'two', null])('is rejected with %j shards', async (parts) => {
    const answer = await make({ name: 'odd', parts });
    expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc: ['body', 'parts'] }] }]);
  });

  it('is listed with its number of shards, and created by the operator only', async () => {
    expect((await whole.client.post('/cloud/generate_uri', { name: 'more', parts: 2 })).status).toBe(403);
    expect((await make({ name: 'parted', parts: 2 })).status).toBe(409);
    const list = async ({ client }: Pick<Tenant, 'client'>): Promise<Record<string, number>> => {
      const { apps } = (await client.get('/apps')).json() as {
        readonly apps: readonly { readonly name: string; readonly parts: number }[];
      };
      return Object.fromEntries(apps.map(({ name, parts }) => [name, parts]));
    };
    expect(await list(parted)).toEqual({ parted: PARTS });
    expect(await list(service)).toEqual({ default: 1, whole: 1, parted: PARTS, stranger: PARTS });
  });

  it('is renamed and deleted as a whole', async () => {
    const rename = await service.client.call('PATCH', '/apps/rename?app_name=parted&new_name=gone');
    expect(rename.status).toBe(200);
    const { document_count: count } = (await parted.client.get('/usage/app-storage')).json() as {
      readonly document_count: number;
    };
    const deleted = (await service.client.delete('/apps?app_name=gone')).json();
    expect(deleted).toMatchObject({ status: 'deleted', documents_deleted: count });
    expect(count).toBeGreaterThan(50);
    const again = await make({ name: 'gone', app_id: parted.appId, parts: PARTS });
    const key = /:([\w.-]+)@/.exec((again.json() as { readonly uri: string }).uri)?.[1] ?? null;
    const next = service.as(key);
    expect((await next.get('/usage/app-storage')).json()).toMatchObject({ total_mb: 0, document_count: 0 });
    expect((await next.post('/retrieve/chunks', { query })).json()).toEqual([]);
    expect((await next.get('/folders')).json()).toEqual([]);
    for (const id of parted.ids) expect((await next.get(`/documents/${id}`)).status).toBe(404);
    expect(await whole.documents.retrieve({ query, k: 100 })).toHaveLength(100);
  });
});
