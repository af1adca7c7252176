import { randomUUID } from 'node:crypto';
import { CompletionService } from '../support/completion-service.js';
import type { Answer, Client } from '../support/client.js';
import { describedInputs, type DescribedInput } from '../support/described-input.js';
import { describedRoutes } from '../support/described-routes.js';
import { Documents } from '../support/documents.js';
import { readEvents } from '../support/event-stream.js';
import type { SharedService } from '../support/shared-service.js';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly end_user_id: string | null;
}

interface Chat {
  readonly chat_id: string;
  readonly end_user_id: string | null;
  readonly title: string;
}

interface Things {
  readonly document: string;
  readonly chat: string;
  readonly response: string;
  readonly conversation: string;
}

const IDS: Readonly<Record<string, keyof Things>> = {
  document_id: 'document',
  document_ids: 'document',
  external_id: 'document',
  chat_id: 'chat',
  response_id: 'response',
  previous_response_id: 'response',
  conversation_id: 'conversation',
  conversation: 'conversation',
};

const nameOf = ({ place }: DescribedInput): string =>
  String(place.findLast((part) => typeof part === 'string'));

const PATHS = describedRoutes().filter(({ pathParameters }) => pathParameters.some((name) => name in IDS));
const INPUTS = describedInputs().filter((input) => nameOf(input) in IDS);
const END_USERS = describedInputs().filter((input) => nameOf(input) === 'end_user_id');

const OTHERS = ['body', 'query'].map(
  (place) => `${place}.end_user_id: The API key belongs to another end user`,
);

const SECRET = 'Ann pays 4,711 crowns for the red boat.';

describe('keys of people', () => {
  let models: CompletionService<SharedService>;
  let service: SharedService;
  let ann: Client;
  let bob: Client;
  let application: Client;
  let things: Things;

  const makeKey = async (more: object): Promise<Key> => {
    const answer = await service.client.post('/keys', {
      name: 'k',
      scopes: ['read', 'query', 'write'],
      ...more,
    });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json() as Key;
  };
  const keyOf = async (person: string, more: object = {}): Promise<Client> =>
    service.as((await makeKey({ end_user_id: person, ...more })).key);
  const titles = async (client: Client, query = ''): Promise<string[]> =>
    ((await client.get(`/chats${query}`)).json() as Chat[]).map(({ title }) => title);
  const ask = async (client: Client, query: string, chat: string, more: object = {}): Promise<Answer> => {
    const answer = await client.post('/query', { query, chat_id: chat, ...more });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer;
  };

  beforeAll(async () => {
    models = await CompletionService.shared();
    ({ service } = models);
    ann = await keyOf('ann');
    bob = await keyOf('bob');
    application = service.as((await makeKey({ scopes: ['read', 'query'] })).key);
    const documents = new Documents(() => service.client);
    await documents.ingestText('The harbour is open to everybody.', { folder_name: '/boats' });
    const own = new Documents(() => ann);
    const document = (await own.ingestText(SECRET, { folder_name: '/boats', filename: 'ann.txt' }))
      .external_id;
    const chat = randomUUID();
    await ask(ann, 'A question of Ann', chat);
    const answered = await ann.post('/v1/responses', { model: 'lectern', input: 'A response for Ann' });
    const begun = await ann.post('/v1/conversations', { items: [{ role: 'user', content: SECRET }] });
    const { id: conversation } = begun.json() as { id: string };
    things = { document, chat, response: (answered.json() as { id: string }).id, conversation };
  });
  afterAll(() => models.stop());

  it('name their person, in the list and in the key', async () => {
    const made = await makeKey({ end_user_id: 'cleo', name: 'Cleo' });
    const [, claims = ''] = made.key.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ end_user_id: 'cleo' });
    const keys = (await service.client.get('/keys')).json() as Key[];
    expect(keys.find(({ id }) => id === made.id)).toMatchObject({ name: 'Cleo', end_user_id: 'cleo' });
  });

  it('keep idempotency keys apart: a repeated request returns the stored response to the same person only', async () => {
    const { external_id: id } = await new Documents(() => ann).ingestText('The lamp is lit.', {});
    const update = { content: 'The bell is rung.', update_strategy: 'add' };
    const headers = { 'Idempotency-Key': 'first' };
    const send = (client: Client): Promise<Answer> =>
      client.call('POST', `/documents/${id}/update_text`, { body: update, headers });
    const first = await send(ann);
    expect([first.status, (await send(ann)).json()]).toEqual([200, first.json()]);
    expect((await send(bob)).status).toBe(404);
  });

  describe('keep the chats of two people apart', () => {
    const unknown = (): Things => ({
      document: randomUUID(),
      chat: randomUUID(),
      response: `resp_${randomUUID().replaceAll('-', '')}`,
      conversation: `conv_${randomUUID().replaceAll('-', '')}`,
    });
    const told = ({ status, text }: Answer, asked: Things): [number, string] => [
      status,
      Object.values(asked).reduce<string>((rest, id) => rest.replaceAll(id as string, '<id>'), text),
    ];

    it.each(PATHS.map((route) => [`${route.method} ${route.path}`, route] as const))(
      'chats of others look like unknown ones, byte for byte: %s',
      async (_name, { method, path, takes, pathParameters }) => {
        const asked = async (ids: Things): Promise<[number, string]> => {
          const at = pathParameters.reduce((rest, name) => {
            const kind = IDS[name];
            return rest.replace(`{${name}}`, kind === undefined ? 'boats' : ids[kind]);
          }, path);
          const example = describedInputs().find((input) => input.method === method && input.path === path);
          const json = example?.place[0] === 'body' ? example.requestWith('"x"').body : undefined;
          const body = takes.includes('multipart/form-data') ? fileForm() : json;
          const query = method === 'PATCH' ? '?title=x' : '';
          return told(await bob.call(method, at + query, body === undefined ? {} : { body }), ids);
        };
        const [known, other] = [await asked(things), await asked(unknown())];
        expect(known).toEqual(other);
        expect(known[0]).toBeGreaterThanOrEqual(400);
      },
    );

    it.each(
      INPUTS.map((input) => [`${input.method} ${input.path} ${input.place.join('.')}`, input] as const),
    )('ids of others in bodies look like unknown ones: %s', async (_name, input) => {
      const asked = async (ids: Things): Promise<[number, string]> => {
        const id = ids[IDS[nameOf(input)] ?? 'document'];
        const json = JSON.stringify(input.schema.type === 'array' ? [id] : id);
        const { path, body } = input.requestWith(input.place[0] === 'query' ? id : json);
        const at = path.replaceAll(/\{\w+\}/g, things.document);
        return told(await bob.call(input.method, at, body === undefined ? {} : { body }), ids);
      };
      const [known, other] = [await asked(things), await asked(unknown())];
      expect(known[0]).toBe(other[0]);
      if (known[0] !== 200) expect(known[1]).toBe(other[1]);
      expect(known[1]).not.toContain('4,711');
    });

    it('requests of others change nothing', async () => {
      expect((await ann.get(`/chat/${things.chat}`)).json()).toHaveLength(2);
      expect(await titles(ann)).toEqual(['A question of Ann']);
      expect((await ann.get(`/documents/${things.document}`)).json()).toMatchObject({
        end_user_id: 'ann',
        folder_path: '/boats',
        system_metadata: { status: 'completed', version: 1 },
      });
      expect((await ann.get(`/v1/responses/${things.response}`)).status).toBe(200);
      const items = await ann.get(`/v1/conversations/${things.conversation}/items`);
      expect((items.json() as { data: unknown[] }).data).toHaveLength(1);
    });

    it('the same chat id of two people is two chats, whole, streamed and in the OpenAI protocol', async () => {
      models.provider.forget();
      const chat = `shared-${randomUUID()}`;
      await ask(ann, 'First of Ann', chat);
      const stream = await bob.fetch('POST', '/query', {
        body: { query: 'First of Bob', chat_id: chat, stream_response: true },
      });
      expect((await readEvents(stream)).at(-1)).toMatchObject({ type: 'done' });
      const completed = await bob.post('/v1/chat/completions', {
        model: 'lectern',
        messages: [{ role: 'user', content: 'Second of Bob' }],
        metadata: { chat_id: chat },
      });
      expect(completed.status).toBe(200);
      await ask(ann, 'Second of Ann', chat);
      const said = async (client: Client): Promise<string[]> =>
        ((await client.get(`/chat/${chat}`)).json() as { role: string; content: string }[])
          .filter(({ role }) => role === 'user')
          .map(({ content }) => content);
      expect(await said(ann)).toEqual(['First of Ann', 'Second of Ann']);
      expect(await said(bob)).toEqual(['First of Bob', 'Second of Bob']);
      expect((await bob.call('PATCH', `/chats/${chat}/title?title=Mine`)).status).toBe(200);
      expect(await titles(ann)).not.toContain('Mine');
      expect((await bob.delete(`/chats/${chat}`)).status).toBe(200);
      expect(await said(ann)).toHaveLength(2);
      expect((await ann.delete(`/chats/${chat}`)).status).toBe(200);
    });
  });

  it('read their own documents and those without an end user, in every search and list', async () => {
    const found = async (client: Client, more: object = {}): Promise<string> =>
      (await client.post('/retrieve/chunks', { query: 'boat harbour', k: 10, ...more })).text;
    expect(await found(ann)).toContain('4,711');
    expect(await found(ann)).toContain('open to everybody');
    expect(await found(bob)).not.toContain('4,711');
    expect(await found(bob)).toContain('open to everybody');
    expect(await found(ann, { end_user_id: 'ann' })).not.toContain('open to everybody');
    expect(await found(application)).toContain('4,711');
    const count = async (client: Client): Promise<unknown> =>
      ((await client.get('/folders/summary')).json() as { doc_count: number }[]).map(
        (folder) => folder.doc_count,
      );
    expect([await count(ann), await count(bob)]).toEqual([[2], [1]]);
    for (const [path, body] of [
      ['/documents', {}],
      ['/folders/details', { include_document_count: true }],
      ['/search/documents', { query: 'ann' }],
    ] as const) {
      expect((await bob.post(path, body)).text).not.toContain('ann.txt');
      if (path !== '/folders/details') expect((await ann.post(path, body)).text).toContain('ann.txt');
    }
    expect((await bob.get('/documents/filename/ann.txt')).status).toBe(404);
    expect((await ann.get('/documents/filename/ann.txt')).status).toBe(200);
    expect((await bob.get('/folders/boats')).text).not.toContain(things.document);
    expect((await bob.delete('/folders/boats?recursive=true')).status).toBe(403);
  });

  it.each(
    END_USERS.map((input) => [`${input.method} ${input.path} ${input.place.join('.')}`, input] as const),
  )('are rejected for another end user: %s', async (_name, input) => {
    // The end user of a new key or person, and a filter of administrators.
    if (/^\/(keys|people|feedback)\b/.test(input.path)) return;
    const { path, body } = input.requestWith(input.place[0] === 'query' ? 'bob' : '"bob"');
    const at = path.replaceAll(/\{\w+\}/g, randomUUID());
    const answer = await ann.call(input.method, at, body === undefined ? {} : { body });
    const { detail } = answer.json() as { detail: string };
    expect([answer.status, OTHERS.includes(detail) ? '' : detail]).toEqual([403, '']);
    expect(detail.startsWith(String(input.place[0]))).toBe(true);
  });

  it('are rejected in forms, in metadata of the OpenAI protocol, and in MCP tools', async () => {
    const form = fileForm();
    form.append('end_user_id', 'bob');
    const refused = await ann.post('/ingest/file', form);
    expect([refused.status, refused.json()]).toEqual([
      403,
      { detail: 'body.end_user_id: The API key belongs to another end user' },
    ]);
    const completion = await ann.post('/v1/chat/completions', {
      model: 'lectern',
      messages: [{ role: 'user', content: 'boat' }],
      metadata: { end_user_id: 'bob' },
    });
    expect([completion.status, completion.json()]).toMatchObject([
      403,
      { error: { type: 'permission_error', param: 'metadata.end_user_id' } },
    ]);
    const tool = await ann.post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'boat', end_user_id: 'bob' } },
    });
    expect(tool.text).toContain('arguments.end_user_id: The API key belongs to another end user');
    expect((await ask(ann, 'Named', `named-${randomUUID()}`, { end_user_id: 'ann' })).status).toBe(200);
  });

  describe('with keys of applications and administrators', () => {
    it('let an application use the chats of its end users and of its own key', async () => {
      const own = await ask(application, 'Of the application', 'desk');
      expect(own.status).toBe(200);
      const second = service.as((await makeKey({ scopes: ['read', 'query'] })).key);
      await ask(second, 'Of another application', 'desk');
      await ask(service.client, 'Of an administrator', 'desk');
      expect(await titles(application)).toEqual(['Of the application']);
      expect(await titles(second)).toEqual(['Of another application']);
      expect(await titles(application, '?end_user_id=ann')).toContain('A question of Ann');
      await ask(application, 'For Dora', 'desk', { end_user_id: 'dora' });
      expect(await titles(await keyOf('dora'))).toEqual(['For Dora']);
    });

    it("let administrators see all chats, and hide an administrator's chats from others", async () => {
      await ask(service.client, 'Only for administrators', 'office');
      for (const client of [application, ann]) {
        for (const answer of [
          await client.get('/chat/office'),
          await client.delete('/chats/office'),
          await client.call('PATCH', '/chats/office/title?title=Taken'),
        ]) {
          expect([answer.status, answer.json()]).toEqual([404, { detail: 'Chat not found' }]);
        }
      }
      const all = await titles(service.client);
      expect(all).toEqual(expect.arrayContaining(['Only for administrators', 'A question of Ann']));
      expect((await service.client.get(`/chat/${things.chat}?end_user_id=ann`)).json()).toHaveLength(2);
      expect((await service.client.delete('/chats/office')).status).toBe(200);
    });
  });

  it('appear in the usage of the tenant', async () => {
    const { id, key } = await makeKey({ end_user_id: 'hal', name: 'Hal' });
    const hal = service.as(key);
    await ask(hal, 'One', 'usage');
    await ask(hal, 'Two', 'usage');
    await hal.post('/documents', {});
    const answer = await service.client.get('/usage/keys');
    const rows = answer.json() as { key_id: string; last_used_at: string; tokens_used: number }[];
    const row = rows.find(({ key_id }) => key_id === id);
    expect(row).toMatchObject({ name: 'Hal', end_user_id: 'hal', operations: 3, questions: 2 });
    expect(row?.tokens_used).toBeGreaterThan(0);
    expect(rows[0]).toEqual(row);
    await service.operator.post('/documents', {});
    expect(((await service.operator.get('/usage/keys')).json() as object[])[0]).toMatchObject({
      key_id: 'admin-key',
      name: null,
      end_user_id: null,
    });
    expect((await hal.get('/usage/keys')).status).toBe(403);
  });

  describe('issued by a sign-in link', () => {
    const linkOf = async (id: string, query = ''): Promise<{ url: string; expires_at: string }> => {
      const answer = await service.client.post(`/keys/${id}/sign_in_link${query}`);
      expect(answer.status).toBe(200);
      return answer.json() as { url: string; expires_at: string };
    };
    const codeIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
    const enter = (code: string): Promise<Answer> => service.as(null).post('/keys/sign_in', { code });

    it('once', async () => {
      const { id } = await makeKey({ end_user_id: 'eve', name: 'Eve' });
      const { url, expires_at } = await linkOf(id);
      expect(new URL(url).hash).toBe(`#/sign-in/${codeIn(url)}`);
      expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(86_000_000);
      const entered = await enter(codeIn(url));
      expect([entered.status, entered.json()]).toMatchObject([200, { id, name: 'Eve', end_user_id: 'eve' }]);
      const eve = service.as((entered.json() as Key).key);
      await ask(eve, 'Hello', 'hello');
      expect(await titles(eve)).toEqual(['Hello']);
      const again = await enter(codeIn(url));
      expect([again.status, again.json()]).toEqual([
        401,
        { detail: 'The sign-in link was used already, has expired, or is not complete' },
      ]);
    });

    it('unless the link was replaced or has expired, or the key was revoked', async () => {
      const { id } = await makeKey({ end_user_id: 'fay' });
      const first = await linkOf(id);
      const second = await linkOf(id);
      expect((await enter(codeIn(first.url))).status).toBe(401);
      expect((await enter(codeIn(second.url).slice(0, -8))).status).toBe(401);
      expect((await enter('AAAA')).status).toBe(401);
      expect((await service.client.delete(`/keys/${id}`)).status).toBe(200);
      expect((await enter(codeIn(second.url))).status).toBe(401);
      expect((await service.client.post(`/keys/${id}/sign_in_link`)).status).toBe(404);
      expect((await service.client.post(`/keys/${randomUUID()}/sign_in_link`)).status).toBe(404);
      const tooLong = await service.client.post(`/keys/${id}/sign_in_link?expires_in=604801`);
      expect([tooLong.status, tooLong.text.includes('expires_in')]).toEqual([422, true]);
      expect((await ann.post(`/keys/${id}/sign_in_link`)).status).toBe(403);
    });

    it('to only one of many concurrent requests', async () => {
      const { id } = await makeKey({ end_user_id: 'gil' });
      const { url } = await linkOf(id);
      const answers = await Promise.all(Array.from({ length: 8 }, () => enter(codeIn(url))));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(401)]);
    });
  });
});

function fileForm(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['a']), 'a.txt');
  return form;
}
