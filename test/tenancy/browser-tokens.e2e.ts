import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

const QUESTION = 'When is the keeper relieved?';

describe("a browser's token", () => {
  let service: SharedService;
  let keyId: string;
  let key: Client;
  const ids: Record<string, string> = {};

  const made = async (body: object, by: Client = service.client): Promise<{ id: string; key: string }> =>
    (await by.post('/keys', { name: 'site', ...body })).json() as { id: string; key: string };
  const tokenOf = async (body: object = {}, id = keyId, by: Client = service.client): Promise<Client> => {
    const answer = await by.post(`/keys/${id}/token`, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return service.as((answer.json() as { token: string }).token);
  };
  const namesIn = (answer: Answer): string[] =>
    [...new Set([...answer.text.matchAll(/"filename":"([^"]+)"/g)].map(([, name]) => name ?? ''))].sort();
  const found = async (client: Client, body: object = {}): Promise<string[]> =>
    namesIn(await client.post('/retrieve/chunks', { query: QUESTION, k: 20, min_score: 0, ...body }));

  beforeAll(async () => {
    service = await SharedService.enter();
    const documents = new Documents(() => service.client);
    const texts = [
      ['open.txt', { folder_name: '/public/help', metadata: { audience: 'all' } }],
      ['staff.txt', { folder_name: '/public', metadata: { audience: 'staff' } }],
      ['secret.txt', { folder_name: '/publications', metadata: { audience: 'all' } }],
      ['ann.txt', { folder_name: '/public', metadata: { audience: 'all' }, end_user_id: 'ann' }],
      ['bob.txt', { folder_name: '/public', metadata: { audience: 'all' }, end_user_id: 'bob' }],
    ] as const;
    for (const [filename, more] of texts) {
      const text = `The keeper is relieved every Tuesday, says ${filename}.`;
      const stored = await documents.ingestText(text, { filename, ...more });
      ids[filename] = (stored as { external_id: string }).external_id;
    }
    const site = await made({ scopes: ['read', 'query'] });
    keyId = site.id;
    key = service.as(site.key);
  });
  afterAll(() => service.stop());

  it('acts for its key, for minutes, and says until when', async () => {
    const answer = await key.post(`/keys/${keyId}/token`, { expires_in: 60 });
    const { token, scopes, expires_at } = answer.json() as {
      token: string;
      scopes: string[];
      expires_at: string;
    };
    expect(scopes).toEqual(['read', 'query']);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await found(service.as(token))).toEqual(['open.txt', 'secret.txt', 'staff.txt']);
  });

  it.each<[string, object, readonly string[]]>([
    ['a folder and its subfolders', { folder_name: 'public' }, ['open.txt', 'staff.txt']],
    ['a filter', { filters: { audience: 'staff' } }, ['staff.txt']],
    ['both', { folder_name: '/public', filters: { audience: 'all' } }, ['open.txt']],
    ['an end user', { end_user_id: 'ann' }, ['ann.txt', 'open.txt', 'secret.txt', 'staff.txt']],
    [
      'all three',
      { folder_name: '/public', filters: { audience: 'all' }, end_user_id: 'ann' },
      ['ann.txt', 'open.txt'],
    ],
  ])('sees what %s allow, whatever it asks for', async (_, body, visible) => {
    const token = await tokenOf(body);
    expect(await found(token)).toEqual(visible);
    const all = Object.keys(ids);
    const attempts = [
      { folder_name: '/publications' },
      { folder_name: ['/public', '/publications', '/'] },
      { folder_name: '/', folder_depth: -1 },
      { filters: { $or: [{ audience: 'all' }, { audience: { $ne: 'all' } }] } },
      { filters: { external_id: { $in: Object.values(ids) } } },
      { filters: { filename: { $in: all } } },
      { filters: { $not: { audience: 'nobody' } } },
      { padding: 10 },
      { use_colpali: true },
    ];
    for (const attempt of attempts) {
      for (const name of await found(token, attempt)) expect(visible).toContain(name);
    }
    const routes = [
      await token.post('/retrieve/docs', { query: QUESTION, k: 20 }),
      await token.post('/retrieve/chunks/grouped', { query: QUESTION, k: 20 }),
      await token.post('/query', { query: QUESTION, k: 20 }),
      await token.post('/query', { query: QUESTION, k: 20, stream_response: true }),
      await token.post('/v1/chat/completions', {
        model: 'lectern',
        messages: [{ role: 'user', content: QUESTION }],
      }),
    ];
    for (const answer of routes) {
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      for (const name of all.filter((one) => !visible.includes(one))) expect(answer.text).not.toContain(name);
    }
  });

  it('reaches no other route, bound or not', async () => {
    const { paths } = (await service.as(null).get('/openapi.json')).json() as {
      paths: Record<string, Record<string, { security?: readonly object[] }>>;
    };
    const reached = [
      'POST /query',
      'POST /retrieve/chunks',
      'POST /retrieve/chunks/grouped',
      'POST /retrieve/docs',
      'POST /v1/chat/completions',
      'POST /v1/responses',
      'POST /mcp',
      'GET /answers',
      'GET /answers/{answer_id}/events',
      'POST /answers/{answer_id}/stop',
    ];
    const [bound, free] = [await tokenOf({ folder_name: '/public' }), await tokenOf()];
    let refused = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const isOpen = security?.length === 0;
        const isLocal = path === '/metrics'; // open to this machine
        const name = `${method.toUpperCase()} ${path}`;
        if (isOpen || isLocal || reached.includes(name)) continue;
        const place = path.replaceAll(/\{\w+\}/g, ids['open.txt'] ?? '');
        for (const client of [bound, free]) {
          const { status, text } = await client.call(method.toUpperCase(), place);
          expect([name, status, text]).toEqual([
            name,
            403,
            expect.stringMatching(/accepts no browser tokens|lacks the scope/),
          ]);
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(100);
  });

  it('makes no tokens and has no more permissions than its key', async () => {
    const token = await tokenOf();
    expect((await token.post(`/keys/${keyId}/token`, {})).status).toBe(403);
    const reader = await made({ scopes: ['read'] });
    const more = await service.client.post(`/keys/${reader.id}/token`, { scopes: ['query'] });
    expect(more.json()).toMatchObject({ detail: [{ loc: ['body', 'scopes'] }] });
    for (const scopes of [['admin'], ['write'], []]) {
      expect((await service.client.post(`/keys/${keyId}/token`, { scopes })).status).toBe(422);
    }
    const searches = await tokenOf({ scopes: ['read'] });
    expect((await searches.post('/query', { query: QUESTION })).status).toBe(403);
    const admin = await made({ scopes: ['admin'] });
    const weak = await tokenOf({}, admin.id);
    expect((await weak.get('/keys')).status).toBe(403);
    expect((await weak.get('/settings/model')).status).toBe(403);
  });

  it('is made by an administrator of the tenant or by the key itself', async () => {
    const other = await made({ scopes: ['read', 'query'] });
    const foreign = service.as(await service.newTenant());
    expect((await key.post(`/keys/${other.id}/token`, {})).status).toBe(403);
    expect((await foreign.post(`/keys/${keyId}/token`, {})).status).toBe(404);
    expect((await service.as(null).post(`/keys/${keyId}/token`, {})).status).toBe(401);
    expect((await service.client.post('/keys/nonsense/token', {})).status).toBe(404);
  });

  it('acts for the person of its key only', async () => {
    const ann = await made({ scopes: ['read', 'query'], end_user_id: 'ann' });
    expect((await service.client.post(`/keys/${ann.id}/token`, { end_user_id: 'bob' })).status).toBe(403);
    const token = await tokenOf({}, ann.id);
    expect(await found(token)).not.toContain('bob.txt');
    expect((await token.post('/retrieve/chunks', { query: QUESTION, end_user_id: 'bob' })).status).toBe(403);
  });

  it('has chats for a person only', async () => {
    const chat = { query: QUESTION, chat_id: 'shared' };
    expect((await key.post('/query', chat)).status).toBe(200);
    for (const body of [{}, { folder_name: '/public' }]) {
      const answer = await (await tokenOf(body)).post('/query', chat);
      expect(answer.json()).toMatchObject({ detail: [{ loc: ['body', 'chat_id'] }] });
    }
    expect((await (await tokenOf({ end_user_id: 'ann' })).post('/query', chat)).status).toBe(200);
  });

  it('has chats of its bound, which neither another bound nor no bound sees or continues', async () => {
    const scopes = ['query', 'chats', 'feedback'];
    const bound = { end_user_id: 'ann', folder_name: '/public', filters: { audience: 'all', lang: 'en' } };
    const own = await tokenOf({ scopes, ...bound });
    const again = await tokenOf({ scopes, ...bound, filters: { lang: 'en', audience: 'all' } });
    const others = [
      await tokenOf({ scopes, ...bound, folder_name: '/public/help' }),
      await tokenOf({ scopes, ...bound, filters: { audience: 'all' } }),
      await tokenOf({ scopes, end_user_id: 'ann', folder_name: '/public' }),
      await tokenOf({ scopes, end_user_id: 'ann' }),
      await tokenOf({ scopes, ...bound, end_user_id: 'bob' }),
    ];
    const chat = { query: QUESTION, chat_id: 'of-a-bound' };
    expect((await own.post('/query', chat)).status).toBe(200);
    expect((await again.post('/query', chat)).status).toBe(200);
    for (const client of [own, again]) {
      expect((await client.get('/chat/of-a-bound')).json()).toHaveLength(4);
      expect((await client.get('/chats')).text).toContain('of-a-bound');
    }
    for (const client of others) {
      expect((await client.get('/chats')).text).not.toContain('of-a-bound');
      const answers = [
        await client.get('/chat/of-a-bound'),
        await client.get('/chat/of-a-bound/versions'),
        await client.call('PATCH', '/chats/of-a-bound/title?title=Mine'),
        await client.put('/chat/of-a-bound/messages/1/feedback', { rating: 'bad' }),
        await client.delete('/chats/of-a-bound'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    }
    for (const client of [
      ...others.slice(0, -1),
      service.as((await made({ scopes: ['query'], end_user_id: 'ann' })).key),
    ]) {
      const refused = await client.post('/query', chat);
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('another chat_id')]);
    }
    expect((await others.at(-1)?.post('/query', chat))?.status).toBe(200); // Bob has a chat of his own
    expect((await own.put('/chat/of-a-bound/messages/1/feedback', { rating: 'good' })).status).toBe(200);
    const annsKey = service.as((await made({ scopes: ['query'], end_user_id: 'ann' })).key);
    expect((await annsKey.get('/chat/of-a-bound')).json()).toHaveLength(4);
    expect((await own.delete('/chats/of-a-bound')).status).toBe(200);
    expect((await others[0]?.post('/query', chat))?.status).toBe(200);
  });

  it('adds documents that belong to its folder and its filter', async () => {
    const writing = await made({ scopes: ['read', 'query', 'write'] });
    const scopes = ['read', 'ingest', 'status', 'documents', 'chunks', 'download'];
    const bound = { folder_name: '/uploads', filters: { audience: 'all', year: 2_026 }, end_user_id: 'ann' };
    const token = await tokenOf({ scopes, ...bound }, writing.id);
    const documents = new Documents(() => token);
    const stored = await documents.ingestText('The lamp of Torvig.', {
      filename: 'a.txt',
      metadata: { a: 1 },
    });
    expect(stored).toMatchObject({
      folder_path: '/uploads',
      metadata: { audience: 'all', year: 2_026, a: 1 },
      end_user_id: 'ann',
    });
    const form = new FormData();
    form.append('file', new Blob(['The lamp of Torvig again.']), 'b.txt');
    form.append('folder_name', '/uploads/2026');
    const uploaded = await token.post('/ingest/file', form);
    expect(uploaded.json()).toMatchObject({ folder_path: '/uploads/2026', metadata: { audience: 'all' } });
    expect((await token.post('/documents', {})).text).toContain('b.txt');
    const refused: readonly [object, unknown][] = [
      [{ folder_name: '/elsewhere' }, 'folder_name'],
      [{ metadata: { audience: 'staff' } }, 'metadata.audience'],
      [{ metadata_types: { year: 'string' } }, 'metadata_types.year'],
      [{ access_control: { readers: ['everyone'] } }, 'access_control'],
      [{ rules: [{ type: 'natural_language', prompt: 'Write a poem' }] }, 'rules'],
      [{ end_user_id: 'bob' }, 'end_user_id'],
    ];
    for (const [more, name] of refused) {
      const answer = await token.post('/ingest/text', { content: 'x', ...more });
      expect([name, answer.status >= 400, answer.text]).toEqual([name, true, answer.text]);
      const { detail } = answer.json() as { detail: string | readonly { loc: readonly string[] }[] };
      const named =
        typeof detail === 'string' ? detail : detail.map(({ loc }) => loc.slice(1).join('.')).join();
      expect(named).toContain(name);
    }
    const outside = ids['secret.txt'] ?? '';
    for (const path of [
      `/documents/${outside}`,
      `/documents/${outside}/status`,
      `/documents/${outside}/file`,
    ]) {
      expect((await token.get(path)).status).toBe(404);
    }
    const chunks = await token.post('/batch/chunks', {
      sources: [{ document_id: outside, chunk_number: 0 }],
    });
    expect(chunks.json()).toEqual([]);
    const inside = (stored as { external_id: string }).external_id;
    const lasting = await token.get(`/documents/${inside}/download_url?expires_in=604800`);
    expect(lasting.json()).toMatchObject({ detail: [{ loc: ['query', 'expires_in'] }] });
    const link = (await token.get(`/documents/${inside}/download_url`)).json() as { download_url: string };
    expect(await (await fetch(link.download_url)).text()).toContain('Torvig');
  });

  it('is not forged: changed claims, another signature, a key as a token', async () => {
    const answer = await service.client.post(`/keys/${keyId}/token`, { folder_name: '/public/help' });
    const { token } = answer.json() as { token: string };
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = [
      [header, encoded({ ...claims, folder: null }), signature],
      [header, encoded({ ...claims, scopes: ['admin'] }), signature],
      [encoded({ alg: 'HS256', typ: 'JWT' }), payload, signature],
      [encoded({ alg: 'none', typ: 'lectern-browser+jwt' }), payload, ''],
    ];
    for (const parts of forged) {
      expect((await service.as(parts.join('.')).post('/retrieve/chunks', { query: QUESTION })).status).toBe(
        401,
      );
    }
  });

  it('ends after its time, and with its key', async () => {
    const short = await tokenOf({ expires_in: 1 });
    await statusOf(short, 401);
    const brief = await made({ scopes: ['read'], expires_in: 5 });
    await statusOf(await tokenOf({ expires_in: 3_600 }, brief.id), 401);
    const token = await tokenOf();
    expect((await token.post('/retrieve/chunks', { query: QUESTION })).status).toBe(200);
    await service.client.delete(`/keys/${keyId}`);
    await statusOf(token, 401);
    expect((await service.client.post(`/keys/${keyId}/token`, {})).status).toBe(404);
  });

  /** Waits until a search has this status. */
  async function statusOf(client: Client, status: number): Promise<void> {
    const search = () => client.post('/retrieve/chunks', { query: QUESTION });
    await until(`a search has the status ${status}`, async () => (await search()).status === status);
  }
});
