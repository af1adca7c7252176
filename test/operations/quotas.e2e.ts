import { readFile } from 'node:fs/promises';
import type { Answer, Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';

interface Use {
  readonly level: string;
  readonly name: string;
  readonly used: number;
  readonly limit: number | null;
  readonly left: number | null;
  readonly resets_at: string | null;
}

const ENTRY = 'The harbour opens at six.';

describe('quotas', () => {
  let completion: CompletionService;
  let admin: Client;
  beforeAll(async () => {
    completion = await CompletionService.start({
      QUOTA_TENANT: 'documents=6,stores=4',
      QUOTA_PERSON: 'documents=2,bytes=400,folders=2,stores=1,chats=1,pages=1,browser_tokens=2',
    });
    admin = completion.service.client;
  });
  afterEach(async () => {
    await removeAll(admin);
  });
  afterAll(() => completion.stop());

  const keyOf = async (more: object): Promise<{ id: string; client: Client }> => {
    const answer = await admin.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    const { id, key } = answer.json() as { id: string; key: string };
    return { id, client: completion.service.as(key) };
  };
  const text = (client: Client, more: object = {}): Promise<Answer> =>
    client.post('/ingest/text', { content: ENTRY, ...more });
  const useOf = async (client: Client, name: string, level = 'person'): Promise<Use | undefined> =>
    ((await client.get('/usage/quotas')).json() as Use[]).find(
      (use) => use.name === name && use.level === level,
    );
  const refused = (status: number, detail: string) => [status, detail] as const;
  const told = (answer: Answer): readonly [number, unknown] => [
    answer.status,
    (answer.json() as { detail: unknown }).detail,
  ];
  const removeAll = async (client: Client): Promise<void> => {
    const { documents } = (await client.post('/documents', {})).json() as {
      documents: { external_id: string }[];
    };
    await client.post('/documents/delete', { document_ids: documents.map(({ external_id: id }) => id) });
  };

  it('bound the documents of a person; deletion gives back, and the usage tells what is left', async () => {
    const { client } = await keyOf({ end_user_id: 'ann' });
    const [first] = [await text(client), await text(client)];
    expect(told(await text(client))).toEqual(
      refused(413, 'This end user may have 2 documents: 0 left, 1 requested'),
    );
    expect(await useOf(client, 'documents')).toEqual({
      level: 'person',
      name: 'documents',
      used: 2,
      limit: 2,
      left: 0,
      resets_at: null,
    });
    await client.delete(`/documents/${(first.json() as { external_id: string }).external_id}`);
    expect((await text(client)).status).toBe(200);
    expect((await text(client)).status).toBe(413);
  });

  it('bound the documents of a tenant over all people', async () => {
    const people = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((end_user_id) => keyOf({ end_user_id })));
    const answers: Answer[] = [];
    for (const { client } of people) answers.push(await text(client), await text(client));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 413, 413]);
    // How many the tenant has would tell a person what others keep private.
    expect(answers.at(-1)?.text).toMatch('"The application may have 6 documents: not enough left"');
    expect((await text(admin)).text).toMatch('The application may have 6 documents: 0 left, 1 requested');
    expect(await useOf(admin, 'documents', 'tenant')).toMatchObject({ used: 6, limit: 6, left: 0 });
  });

  it('are not passed by requests at once', async () => {
    const { client } = await keyOf({ end_user_id: 'many' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => text(client)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 413)).toHaveLength(10);
    expect(await useOf(client, 'documents')).toMatchObject({ used: 2 });
  });

  it('count for the person whom an application names', async () => {
    const { client } = await keyOf({});
    for (const status of [200, 200, 413]) {
      expect((await text(client, { end_user_id: 'named' })).status).toBe(status);
    }
  });

  it.each<[string, (client: Client, content: string) => Promise<Answer>]>([
    ['POST /ingest/text', (client, content) => client.post('/ingest/text', { content })],
    ['POST /ingest/file', (client, content) => client.post('/ingest/file', form('file', content))],
    [
      'POST /v1/files',
      (client, content) => client.post('/v1/files', form('file', content, { purpose: 'assistants' })),
    ],
    [
      'POST /documents/{id}/update_text',
      async (client, content) => {
        const { external_id: id } = await new Documents(() => client).ingestText('Short.');
        return client.post(`/documents/${id}/update_text`, { content });
      },
    ],
    [
      'POST /documents/{id}/update_file',
      async (client, content) => {
        const { external_id: id } = await new Documents(() => client).ingestText('Short.');
        return client.post(`/documents/${id}/update_file`, form('file', content));
      },
    ],
  ])('bound the bytes at %s', async (door, call) => {
    const { client } = await keyOf({ end_user_id: `bytes of ${door}` });
    const answer = await call(client, 'word '.repeat(90));
    expect(answer.status).toBe(413);
    expect(answer.text).toMatch(/This end user may have 400 bytes: \d+ left, 450 requested/);
    expect((await call(client, 'word '.repeat(10))).status).toBe(200);
  });

  it('report a file beyond them among others', async () => {
    const { client } = await keyOf({ end_user_id: 'files' });
    const data = new FormData();
    for (const size of [10, 90]) data.append('files', new Blob(['word '.repeat(size)]), `${size}.txt`);
    const answer = (await client.post('/ingest/files', data)).json() as { documents: []; errors: object[] };
    expect(answer.documents).toHaveLength(1);
    expect(answer.errors).toMatchObject([
      { filename: '90.txt', error: expect.stringMatching(/400 bytes/) as string },
    ]);
  });

  it('bound folders, with their ancestors and those that ingestion makes', async () => {
    const { client } = await keyOf({ end_user_id: 'folders' });
    const create = (path: string) => client.post('/folders', { name: path, full_path: path });
    expect(told(await create('/q1/q2/q3'))).toEqual(
      refused(413, 'This end user may have 2 folders: 2 left, 3 requested'),
    );
    expect((await admin.get('/folders/q1')).status).toBe(404);
    expect((await create('/q1/q2')).status).toBe(200);
    expect((await text(client, { folder_name: '/q1/q2/q3' })).status).toBe(413);
    await client.delete('/folders/q1/q2');
    expect((await text(client, { folder_name: '/q1/other' })).status).toBe(200);
    await client.delete('/folders/q1?recursive=true');
  });

  it('bound vector stores', async () => {
    const { client } = await keyOf({ end_user_id: 'stores' });
    const made = await client.post('/v1/vector_stores', { name: 'one' });
    expect(made.status).toBe(200);
    const second = await client.post('/v1/vector_stores', { name: 'two' });
    expect([second.status, second.json()]).toMatchObject([
      413,
      {
        error: {
          message: 'This end user may have 1 vector stores: 0 left, 1 requested',
          code: 'quota_exceeded',
        },
      },
    ]);
    await client.delete(`/v1/vector_stores/${(made.json() as { id: string }).id}`);
    expect((await client.post('/v1/vector_stores', { name: 'two' })).status).toBe(200);
  });

  it('bound chats before a model is paid, and conversations', async () => {
    const { client } = await keyOf({ end_user_id: 'chats' });
    const ask = (chat_id: string) => client.post('/query', { query: 'When?', chat_id });
    expect((await ask('one')).status).toBe(200);
    expect((await ask('one')).status).toBe(200);
    completion.provider.forget();
    expect(told(await ask('two'))).toEqual(
      refused(413, 'This end user may have 1 chats, conversations and responses: 0 left, 1 requested'),
    );
    expect(completion.provider.completions).toEqual([]);
    expect((await client.post('/v1/conversations', {})).status).toBe(413);
    await client.delete('/chats/one');
    expect((await client.post('/v1/conversations', {})).status).toBe(200);
  });

  it('bound the pages that are recognised in a day', async () => {
    const { client } = await keyOf({ end_user_id: 'pages', quotas: { pages: 1, bytes: 100_000 } });
    const scan = await readFile('test/fixtures/documents/sign.png');
    const documents = new Documents(() => client);
    const stored = async () => (await documents.ingestFile('sign.png', scan)).system_metadata;
    expect(await stored()).toMatchObject({ status: 'completed' });
    expect(await useOf(client, 'pages')).toMatchObject({
      used: 1,
      left: 0,
      resets_at: expect.any(String) as string,
    });
    expect(await stored()).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/1 recognised pages a day: 0 left/) as string,
    });
  });

  it('bound the browser tokens of a day, with Retry-After', async () => {
    const { id, client } = await keyOf({ end_user_id: 'tokens' });
    const token = () => client.post(`/keys/${id}/token`, {});
    expect([(await token()).status, (await token()).status]).toEqual([200, 200]);
    const answer = await token();
    expect(told(answer)).toEqual(
      refused(429, 'This end user may have 2 browser tokens a day: 0 left, 1 requested'),
    );
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('of a key replace those of its person, and bound the tokens of models', async () => {
    const { client } = await keyOf({ end_user_id: 'own', quotas: { documents: 1, model_tokens: 1_300 } });
    expect([(await text(client)).status, (await text(client)).status]).toEqual([200, 413]);
    const ask = (max_tokens: number) => client.post('/query', { query: 'When?', max_tokens });
    expect((await ask(100)).status).toBe(200);
    const used = (await useOf(client, 'model_tokens'))?.used ?? 0;
    expect(used).toBeGreaterThan(0);
    const answer = await ask(1_290);
    expect(answer.status).toBe(429);
    expect(answer.text).toMatch(
      new RegExp(`This end user may have 1300 tokens of language models a day: ${1_300 - used} left`),
    );
    expect((await useOf(client, 'model_tokens'))?.used).toBe(used);
    const streams = await Promise.all(
      Array.from({ length: 6 }, () =>
        client.post('/query', { query: 'When?', max_tokens: 400, stream_response: true }),
      ),
    );
    expect(streams.some(({ status }) => status === 429)).toBe(true);
    expect((await useOf(client, 'model_tokens'))?.used).toBeLessThanOrEqual(1_300);
  });

  it.each([
    [{ quotas: { pets: 1 } }, ['body', 'quotas', 'pets']],
    [{ quotas: { documents: -1 } }, ['body', 'quotas', 'documents']],
    [{ quotas: { documents: '1' } }, ['body', 'quotas', 'documents']],
    [{ max_answer_tokens: 0 }, ['body', 'max_answer_tokens']],
  ])('of a key are known names and numbers: %j', async (more, loc) => {
    const answer = await admin.post('/keys', { name: 'k', scopes: ['read'], ...more });
    expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc }] }]);
  });
});

function form(field: string, content: string, more: Readonly<Record<string, string>> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(more)) data.set(name, value);
  data.set(field, new Blob([content]), 'a.txt');
  return data;
}
