import OpenAI, { toFile } from 'openai';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

type Filters = NonNullable<OpenAI.VectorStoreSearchParams['filters']>;

describe('searches of vector stores', () => {
  let service: SharedService;
  let client: OpenAI;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => service.stop());

  const upload = async (name: string, text: string | Buffer): Promise<string> =>
    (await client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' })).id;
  const storeOf = async (name: string): Promise<string> => (await client.vectorStores.create({ name })).id;

  describe('filter by attributes', () => {
    let store: string;
    const files = [
      { name: 'a', attributes: { day: '2024-06-01', year: 2024, open: true, filename: 'one', 'a.b': 'x' } },
      { name: 'b', attributes: { day: '2023-01-15', year: 2023, open: false, owner_id: 'ann' } },
      { name: 'c', attributes: { day: '2022', year: 2022.5, '~filename': 'tilde' } },
      { name: 'd', attributes: {} },
    ];
    beforeAll(async () => {
      store = await storeOf('filters');
      for (const { name, attributes } of files) {
        const file = await upload(`${name}.txt`, `The gull ${name} sits on the pier.`);
        const attached = await client.vectorStores.files.createAndPoll(store, { file_id: file, attributes });
        expect([attached.status, attached.attributes]).toEqual(['completed', attributes]);
      }
    });

    it.each<[Filters, string]>([
      [{ type: 'eq', key: 'year', value: 2024 }, 'a'],
      [{ type: 'ne', key: 'year', value: 2024 }, 'bcd'],
      [{ type: 'gt', key: 'day', value: '2023-0' }, 'ab'],
      [{ type: 'gte', key: 'year', value: 2022.5 }, 'abc'],
      [{ type: 'lt', key: 'year', value: 2023 }, 'c'],
      [{ type: 'lte', key: 'day', value: '2023-01-15' }, 'bc'],
      [{ type: 'in', key: 'year', value: [2023, 2024] }, 'ab'],
      [{ type: 'nin', key: 'year', value: [2023, 2024] }, 'cd'],
      [{ type: 'eq', key: 'open', value: false }, 'b'],
      [{ type: 'eq', key: 'filename', value: 'one' }, 'a'],
      [{ type: 'eq', key: 'filename', value: 'a.txt' }, ''],
      [{ type: 'eq', key: '~filename', value: 'tilde' }, 'c'],
      [{ type: 'eq', key: 'owner_id', value: 'ann' }, 'b'],
      [{ type: 'eq', key: 'a.b', value: 'x' }, 'a'],
      [{ type: 'eq', key: 'year', value: '2024' }, ''],
      [
        {
          type: 'or',
          filters: [
            { type: 'eq', key: 'year', value: 2024 },
            {
              type: 'and',
              filters: [
                { type: 'eq', key: 'open', value: false },
                { type: 'eq', key: 'owner_id', value: 'ann' },
              ],
            },
          ],
        },
        'ab',
      ],
    ])('%j finds %s', async (filters, names) => {
      const found = await client.vectorStores.search(store, { query: 'gull', filters });
      expect(
        found.data
          .map(({ filename }) => filename.charAt(0))
          .sort()
          .join(''),
      ).toBe(names);
    });

    it.each<[object, string]>([
      [{ type: 'like', key: 'a', value: 'b' }, 'filters.type'],
      [{ type: 'eq', value: 'b' }, 'filters.key'],
      [{ type: 'eq', key: 'a', value: null }, 'filters.value'],
      [{ type: 'in', key: 'a', value: 'b' }, 'filters.value'],
      [{ type: 'in', key: 'a', value: ['b', {}] }, 'filters.value.1'],
      [{ type: 'and', filters: [] }, 'filters.filters'],
      [{ type: 'and', filters: [{ type: 'x' }] }, 'filters.filters.0.type'],
      [[], 'filters'],
    ])('rejects %j at %s', async (filters, param) => {
      const refused = client.vectorStores.search(store, { query: 'gull', filters: filters as Filters });
      await expect(refused).rejects.toMatchObject({ status: 400, param });
    });

    it('rejects a deeply nested filter quickly', async () => {
      const nested = '{"type":"and","filters":['.repeat(5_000) + ']}'.repeat(5_000);
      const answer = await service.client.post(
        `/v1/vector_stores/${store}/search`,
        `{"query":"gull","filters":${nested}}`,
      );
      expect(answer.status).toBe(400);
    });

    it('replaces and clears the attributes of a file', async () => {
      const [file] = (await client.vectorStores.files.list(store, { limit: 1 })).data;
      const where = { vector_store_id: store };
      const changed = await client.vectorStores.files.update(file?.id ?? '', {
        ...where,
        attributes: { n: 1 },
      });
      expect(changed.attributes).toEqual({ n: 1 });
      const found = await client.vectorStores.search(store, {
        query: 'gull',
        filters: { type: 'eq', key: 'n', value: 1 },
      });
      expect(found.data.map(({ file_id: id }) => id)).toEqual([file?.id]);
      const emptied = await client.vectorStores.files.update(file?.id ?? '', { ...where, attributes: null });
      expect(emptied.attributes).toEqual({});
    });
  });

  it('search with several queries, a score threshold and a result limit', async () => {
    const store = await storeOf('questions');
    await client.vectorStores.fileBatches.uploadAndPoll(store, {
      files: await Promise.all(
        ['The lamp is lit at dusk.', 'Pilots board at buoy nine.', 'Tea is served at four.'].map(
          (text, number) => toFile(Buffer.from(text), `${number}.txt`),
        ),
      ),
    });
    const both = await client.vectorStores.search(store, {
      query: ['When is the lamp lit?', 'Where do pilots board?'],
      max_num_results: 2,
      rewrite_query: true,
    });
    expect(both.data.map(({ filename }) => filename).sort()).toEqual(['0.txt', '1.txt']);
    const answer = await service.client.post(`/v1/vector_stores/${store}/search`, { query: ['lamp', 'tea'] });
    expect(answer.json()).toMatchObject({ search_query: ['lamp', 'tea'], has_more: false, next_page: null });
    const above = await client.vectorStores.search(store, {
      query: 'When is the lamp lit?',
      ranking_options: { score_threshold: 0.99, ranker: 'auto' },
    });
    expect(above.data).toEqual([]);
  });

  it('are excluded from searches and completions that do not name them', async () => {
    const store = await storeOf('secret');
    const file = await toFile(Buffer.from('The ferry password is barnacle.'), 'secret.txt');
    await client.vectorStores.files.uploadAndPoll(store, file);
    const documents = new Documents(() => service.client);
    await documents.ingestText('The ferry leaves at six.', { folder_name: '/public' });
    const texts = async (body: object): Promise<string> =>
      JSON.stringify(await documents.retrieve({ query: 'ferry password', k: 50, ...body }));
    for (const body of [{}, { folder_name: '/', folder_depth: -1 }, { folder_name: '/public' }]) {
      expect(await texts(body)).toContain('leaves at six');
      expect(await texts(body)).not.toContain('barnacle');
    }
    const folder = `/vector_stores/${store}`;
    expect(await texts({ folder_name: folder })).toContain('barnacle');
    expect(await texts({ folder_name: '/vector_stores', folder_depth: -1 })).toContain('barnacle');
    const grouped = await service.client.post('/retrieve/docs', { query: 'ferry password', k: 50 });
    expect(grouped.text).not.toContain('barnacle');
    const ask = async (metadata: Record<string, string>): Promise<string> => {
      const messages = [{ role: 'user' as const, content: 'What is the ferry password?' }];
      const answer = await client.chat.completions.create({ model: 'extractive', messages, metadata });
      return JSON.stringify(answer);
    };
    expect(await ask({})).not.toContain('secret.txt');
    expect(await ask({ folder_name: folder })).toContain('barnacle');
  });
});
