import { startFakeEmbeddings } from '../support/fake-embeddings.mjs';
import { Documents, textOf, type DocumentRecord } from '../support/documents.js';
import { Service } from '../support/service.js';

const COUNTED = Array.from(
  { length: 40 },
  (_, n) => `On day ${n} some ${n * 7} gulls sat on the harbour wall.`,
).join(' ');

describe('renaming a document', () => {
  let embeddings: Awaited<ReturnType<typeof startFakeEmbeddings>>;
  let service: Service;
  let documents: Documents;
  let sent: string[] = [];

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings({
      answer: ({ body }) => {
        sent.push(...[(body as { input: string | string[] }).input].flat());
        return undefined;
      },
    });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_DIMENSIONS: '384',
      CHUNK_SIZE: '80',
      CHUNK_OVERLAP: '0',
    });
    documents = new Documents(() => service.client);
  });
  afterAll(async () => {
    await service.stop();
    await embeddings.close();
  });
  beforeEach(() => {
    sent = [];
  });

  const rename = (id: string, filename: unknown, client = service.client) =>
    client.call('PATCH', `/documents/${id}`, { body: { filename } });
  const embedded = (): string[] => sent.splice(0).filter((text) => text !== 'anything');
  const updateFile = async (id: string, name: string, text: string, strategy: string): Promise<void> => {
    const form = new FormData();
    form.append('file', new Blob([text]), name);
    form.append('update_strategy', strategy);
    expect((await service.client.post(`/documents/${id}/update_file`, form)).status).toBe(200);
  };

  it('changes the name at once, and then the title in the context of every chunk', async () => {
    const text = `# Harbour handbook\n\n${COUNTED}`;
    const before = await documents.ingestFile('old_name.md', Buffer.from(text), { metadata: '{"a": 1}' });
    const { external_id: id } = before;
    expect(embedded().at(-1)).toMatch(/^old name \/ Harbour handbook\n\n/);
    const chunks = await documents.chunks(id);
    const answer = await rename(id, 'new_name.md');
    expect(answer.json()).toMatchObject({
      filename: 'new_name.md',
      system_metadata: {
        status: 'processing',
        version: 2,
        update_history: [
          { version: 2, strategy: 'rename', filename: 'new_name.md', metadata_updated: false },
        ],
      },
    });
    const after = await documents.settled(id);
    const texts = embedded();
    expect(texts).toHaveLength(chunks.length);
    expect(texts[0]).toMatch(/^new name\n\n# Harbour handbook/);
    for (const one of texts.slice(1)) expect(one).toMatch(/^new name \/ Harbour handbook\n\n/);
    expect(after).toMatchObject({
      filename: 'new_name.md',
      content_type: before.content_type,
      metadata: { a: 1 },
      chunk_ids: before.chunk_ids,
      storage_files: before.storage_files,
      system_metadata: { status: 'completed', version: 2 },
    });
    const renamed = await documents.chunks(id);
    expect(textOf(renamed)).toBe(text);
    expect(renamed.map(({ content, metadata }) => [content, metadata])).toEqual(
      chunks.map(({ content, metadata }) => [content, metadata]),
    );
    expect(renamed.every(({ filename }) => filename === 'new_name.md')).toBe(true);
    expect((await service.client.get('/documents/filename/new_name.md')).status).toBe(200);
    expect((await service.client.get('/documents/filename/old_name.md')).status).toBe(404);
  });

  it('embeds nothing for a name that says nothing, or for the same name', async () => {
    const { external_id: id } = await documents.ingestText(COUNTED, { filename: '0001.txt' });
    embedded();
    await rename(id, '0002.txt');
    const record = await documents.settled(id);
    expect([record.filename, record.system_metadata.version]).toEqual(['0002.txt', 2]);
    expect((await rename(id, '0002.txt')).json()).toMatchObject({ system_metadata: { version: 2 } });
    expect(embedded()).toEqual([]);
  });

  it.each(['update_text', 'update_file'])(
    'gives all passages the new title if %s adds text under a new name',
    async (door) => {
      const { external_id: id } = await documents.ingestText(COUNTED, { filename: 'former_name.txt' });
      embedded();
      if (door === 'update_file') await updateFile(id, 'present_name.txt', 'And then they left.', 'add');
      else {
        const body = { content: 'And then they left.', filename: 'present_name.txt' };
        const answer = await service.client.post(`/documents/${id}/update_text`, body);
        expect(answer.json()).toMatchObject({ system_metadata: { status: 'completed', version: 2 } });
      }
      const record = await documents.settled(id);
      expect([record.filename, record.system_metadata.version]).toEqual(['present_name.txt', 2]);
      expect((await documents.text(id)).endsWith('And then they left.')).toBe(true);
      const texts = embedded();
      for (const one of texts) expect(one).toMatch(/^present name\n\n/);
      expect(new Set(texts).size).toBeGreaterThan(1);
    },
  );

  it('keeps links to the file, and gives the file the new name', async () => {
    const { external_id: id } = await documents.ingestText('Terns come in May.', { filename: 'terns.txt' });
    await service.client.post(`/documents/${id}/update_text?update_strategy=replace`, {
      content: 'In June.',
    });
    const link = (await service.client.get(`/documents/${id}/download_url`)).json() as {
      download_url: string;
    };
    await rename(id, 'common_terns.txt');
    await documents.settled(id);
    const file = await fetch(link.download_url);
    expect([file.status, await file.text()]).toEqual([200, 'In June.']);
    const named = await service.client.get(`/documents/${id}/file`);
    expect(named.headers.get('content-disposition')).toContain('common_terns.txt');
  });

  it('wins over the name of a file that was sent before, not over that of a later one', async () => {
    const { external_id: id } = await documents.ingestText(COUNTED, { filename: 'first_name.txt' });
    embedded();
    await updateFile(id, 'second_name.txt', `${COUNTED} And then they left.`, 'replace');
    await rename(id, 'third_name.txt');
    let record = await documents.settled(id);
    expect(record.filename).toBe('third_name.txt');
    expect((await documents.text(id)).endsWith('And then they left.')).toBe(true);
    const texts = embedded();
    expect(texts.at(-1)).toMatch(/^third name\n\n/);
    await rename(id, 'fourth_name.txt');
    await updateFile(id, 'fifth_name.txt', COUNTED, 'replace');
    record = await documents.settled(id);
    expect(record.filename).toBe('fifth_name.txt');
    expect(embedded().at(-1)).toMatch(/^fifth name\n\n/);
  });

  it('while the first version is processed gives the passages the new name', async () => {
    const answer = await service.client.post('/ingest/text', {
      content: COUNTED,
      filename: 'early_name.txt',
    });
    const { external_id: id } = answer.json() as DocumentRecord;
    expect((await rename(id, 'later_name.txt')).status).toBe(200);
    const record = await documents.settled(id);
    expect([record.filename, record.system_metadata.status]).toEqual(['later_name.txt', 'completed']);
    expect(embedded().at(-1)).toMatch(/^later name\n\n/);
  });

  it('lasts when the document is ingested again from its file', async () => {
    const { external_id: id } = await documents.ingestFile('raw_export.md', Buffer.from(COUNTED));
    await rename(id, 'gull_count.md');
    await documents.settled(id);
    embedded();
    const again = { jobs: [{ external_id: id }] };
    expect((await service.client.post('/ingest/requeue', again)).text).toContain('"requeued"');
    expect((await documents.settled(id)).filename).toBe('gull_count.md');
    expect(embedded().filter((one) => !one.startsWith('gull count'))).toEqual([]);
  });

  it('loses no text that is appended at the same time', async () => {
    const { external_id: id } = await documents.ingestText(COUNTED, { filename: 'one_name.txt' });
    const names = ['two', 'three', 'four'].map((name) => `${name}_name.txt`);
    const adds = ['Auks came.', 'Terns came.', 'Gannets came.'];
    const answers = await Promise.all([
      ...names.map((name) => rename(id, name)),
      ...adds.map((content) => service.client.post(`/documents/${id}/update_text`, { content })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 200));
    const record = await documents.settled(id);
    expect(names).toContain(record.filename);
    expect(record.system_metadata.version).toBe(7);
    const text = await documents.text(id);
    for (const one of adds) expect(text).toContain(one);
    expect(textOf(await documents.chunks(id))).toBe(text);
  });

  it.each([
    ['an empty name', { filename: '' }, 'string_too_short'],
    ['a name that is too long', { filename: 'a'.repeat(1_025) }, 'value_error'],
    ['a number', { filename: 1 }, 'string_type'],
  ])('refuses %s', async (_why, body, type) => {
    const { external_id: id } = await documents.ingestText('Named.', { filename: 'named.txt' });
    const answer = await service.client.call('PATCH', `/documents/${id}`, { body });
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'filename'], type }] },
    ]);
    expect((await documents.get(id)).filename).toBe('named.txt');
  });

  it('needs a document of the tenant, and the permission to write', async () => {
    const { external_id: id } = await documents.ingestText('Ours.', { filename: 'ours.txt' });
    const unknown = await rename('00000000-0000-4000-8000-000000000000', 'x.txt');
    expect([unknown.status, unknown.json()]).toEqual([404, { detail: 'Document not found' }]);
    const key = async (body: object): Promise<string> =>
      ((await service.client.post('/keys', body)).json() as { key: string }).key;
    const reader = service.as(await key({ name: 'reader', scopes: ['read'] }));
    expect((await rename(id, 'theirs.txt', reader)).status).toBe(403);
    const ann = service.as(await key({ name: 'Ann', end_user_id: 'ann', scopes: ['read', 'write'] }));
    const { external_id: hers } = await documents.ingestText('Of another.', { end_user_id: 'bob' });
    expect((await rename(hers, 'theirs.txt', ann)).status).toBe(404);
  });
});
