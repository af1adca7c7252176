import OpenAI, { toFile } from 'openai';
import type { Answer } from '../support/client.js';
import { SharedService } from '../support/shared-service.js';

const nfd = (text: string): string => text.normalize('NFD');
const FILE = 'Gebührenübersicht.md';
const FOLDER = '/Büro/Pläne';

/** macOS decomposes names (`u` and a combining mark), keyboards and models compose them (`ü`). */
describe('a name has one spelling at every door', () => {
  let service: SharedService;
  let client: OpenAI;
  let id: string;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
    const form = new FormData();
    form.set('file', new Blob(['The berth fee is 41 crowns a week.']), nfd(FILE));
    form.set('folder_name', nfd(FOLDER));
    form.set(
      'metadata',
      JSON.stringify({ ort: nfd('Zürich'), list: [nfd('Köln'), 'Bern'], [nfd('größe')]: 1 }),
    );
    ({ external_id: id } = (await service.client.post('/ingest/file', form)).json() as {
      external_id: string;
    });
    await settled(id);
  });
  afterAll(() => service.stop());

  async function settled(document: string): Promise<void> {
    for (let status = 'processing'; status === 'processing';) {
      const answer = await service.client.get(`/documents/${document}/status?wait=20`);
      ({ status } = answer.json() as { status: string });
    }
  }

  const holds = (answer: Answer): boolean => answer.status === 200 && answer.text.includes(id);
  const spellings: readonly (readonly [string, (text: string) => string])[] = [
    ['composed', (text) => text.normalize('NFC')],
    ['decomposed', nfd],
  ];

  describe.each(spellings)('%s', (_, spelt) => {
    it.each([
      ['equality', { ort: spelt('Zürich') }],
      ['a list of values', { ort: { $in: ['Bern', spelt('Zürich'), 'x'] } }],
      ['an element of an array', { list: spelt('Köln') }],
      ['containment', { ort: { $contains: spelt('zür') } }],
      ['a pattern', { ort: { $regex: `^${spelt('Zür')}` } }],
      ['an order', { ort: { $gte: spelt('Zürich'), $lte: spelt('Zürich') } }],
      ['a key', { [spelt('größe')]: 1 }],
      ['the file name', { filename: spelt(FILE) }],
      ['one of many file names', { filename: { $in: ['x', spelt(FILE)] } }],
      ['a part of the file name', { filename: { $contains: spelt('übersicht') } }],
    ])('in a filter by %s', async (_name, filters) => {
      const query = { query: 'berth fee', filters };
      expect(holds(await service.client.post('/retrieve/chunks', query))).toBe(true);
      expect(holds(await service.client.post('/documents', { document_filters: filters }))).toBe(true);
    });

    it('in folders', async () => {
      const folder_name = spelt(FOLDER);
      expect(holds(await service.client.post('/retrieve/chunks', { query: 'berth fee', folder_name }))).toBe(
        true,
      );
      const inside = { query: 'berth fee', folder_name: spelt('/Büro'), folder_depth: -1 };
      expect(holds(await service.client.post('/retrieve/chunks', inside))).toBe(true);
      const path = encodeURIComponent(spelt(FOLDER.slice(1)));
      expect(holds(await service.client.get(`/folders/${path}`))).toBe(true);
    });

    it('in searches and look-ups of file names', async () => {
      expect(
        holds(await service.client.post('/search/documents', { query: spelt('Gebührenübersicht') })),
      ).toBe(true);
      const name = encodeURIComponent(spelt(FILE));
      expect(holds(await service.client.get(`/documents/filename/${name}`))).toBe(true);
    });

    it('in the attributes of a vector store', async () => {
      const store = await client.vectorStores.create({ name: 'fees' });
      const file = await client.files.create({
        file: await toFile(Buffer.from('The berth fee is 41.'), 'fee.txt'),
        purpose: 'assistants',
      });
      const attributes = { [spelt('straße-ü')]: spelt('Zürich') };
      await client.vectorStores.files.createAndPoll(store.id, { file_id: file.id, attributes });
      for (const [, other] of spellings) {
        const found = await client.vectorStores.search(store.id, {
          query: 'berth fee',
          filters: { type: 'eq', key: other('straße-ü'), value: other('Zürich') },
        });
        expect(found.data.map(({ file_id }) => file_id)).toEqual([file.id]);
        expect(found.data[0]?.attributes).toEqual({ 'straße-ü': spelt('Zürich') });
      }
    });
  });

  it('and is shown as it was given', async () => {
    const record = (await service.client.get(`/documents/${id}`)).json() as Record<string, unknown>;
    expect(record).toMatchObject({
      filename: nfd(FILE),
      folder_name: FOLDER,
      metadata: { ort: nfd('Zürich'), list: [nfd('Köln'), 'Bern'], größe: 1 },
    });
    const found = await service.client.post('/retrieve/chunks', {
      query: 'berth fee',
      filters: { filename: FILE },
    });
    expect(found.json()).toMatchObject([{ filename: nfd(FILE), metadata: { ort: nfd('Zürich') } }]);
  });

  it('also after an update and a new name', async () => {
    const text = {
      content: 'The quay fee is 7 crowns.',
      filename: nfd('Kärtchen.md'),
      metadata: { ort: nfd('Köln'), n: 1 },
    };
    const made = (await service.client.post('/ingest/text', text)).json() as { external_id: string };
    await settled(made.external_id);
    const update = (metadata: Record<string, unknown>): Promise<Answer> =>
      service.client.post(`/documents/${made.external_id}/update_metadata`, { metadata });
    const record = async (): Promise<unknown> =>
      (await service.client.get(`/documents/${made.external_id}`)).json();
    const finds = async (filters: Record<string, unknown>): Promise<boolean> =>
      (await service.client.post('/documents', { document_filters: filters })).text.includes(
        made.external_id,
      );
    await update({ [nfd('größe')]: nfd('Ü') });
    expect(await record()).toMatchObject({ metadata: { ort: nfd('Köln'), größe: nfd('Ü'), n: 1 } });
    expect(await finds({ größe: 'Ü', ort: 'Köln' })).toBe(true);
    await update({ ort: 'Köln' });
    expect(await record()).toMatchObject({ metadata: { ort: 'Köln', größe: nfd('Ü') } });
    await update({ größe: 'plain' });
    expect(await record()).toMatchObject({ metadata: { größe: 'plain' } });
    await service.client.call('PATCH', `/documents/${made.external_id}`, {
      body: { filename: nfd('Öl.md') },
    });
    expect(await record()).toMatchObject({ filename: nfd('Öl.md') });
    expect(await finds({ filename: 'Öl.md' })).toBe(true);
  });

  it('and makes one folder', async () => {
    for (const [, spelt] of spellings) {
      await service.client.post('/folders', { name: spelt('Straße ü'), full_path: spelt('/Straße ü') });
    }
    const summary = (await service.client.get('/folders/summary')).json() as { full_path: string }[];
    expect(summary.filter(({ full_path: path }) => path.includes('Stra'))).toHaveLength(1);
  });
});
