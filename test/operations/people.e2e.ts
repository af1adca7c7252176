import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import type { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
  readonly active: boolean;
  readonly last_active_at: string | null;
  readonly questions: number;
  readonly documents: number | null;
  readonly chats: number | null;
}

interface Page {
  readonly people: readonly Person[];
  readonly total: number;
}

interface Invited {
  readonly people: readonly { readonly name: string; readonly end_user_id: string; readonly url: string }[];
}

const READ = ['read', 'query'];
const WRITE = ['read', 'query', 'write'];

describe('people', () => {
  let models: CompletionService<SharedService>;
  let service: SharedService;
  let admin: Client;
  beforeAll(async () => {
    models = await CompletionService.shared();
    ({ service } = models);
    admin = service.client;
  });
  afterAll(() => models.stop());

  const ok = (answer: Answer): Answer => {
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer;
  };
  const told = ({ status, text }: Answer): [number, string] => [status, text];
  const invite = async (people: readonly object[], more: object = {}): Promise<Invited> =>
    ok(await admin.post('/people', { people, ...more })).json() as Invited;
  const signIn = async (url: string | undefined): Promise<Client> => {
    const code = (url ?? '').split('/#/sign-in/')[1];
    const { key } = ok(await service.as(null).post('/keys/sign_in', { code })).json() as { key: string };
    return service.as(key);
  };
  /** Invites a person and returns a client that acts for them. */
  const join = async (id: string, scopes = WRITE, groups: string[] = []): Promise<Client> =>
    signIn((await invite([{ name: id.toUpperCase(), end_user_id: id, scopes, groups }])).people[0]?.url);
  const list = async (query: string, by: Client = admin): Promise<Page> =>
    ok(await by.get(`/people?${query}`)).json() as Page;
  const change = (id: string, body: object, by: Client = admin): Promise<Answer> =>
    by.call('PATCH', `/people/${id}`, { body });
  const remove = (id: string, query = '', by: Client = admin): Promise<Answer> =>
    by.delete(`/people/${id}${query}`);
  const newId = (): string => `p${randomUUID().slice(0, 8)}`;

  describe('by the hundred', () => {
    const team = `t${randomUUID().slice(0, 8)}`;
    const idOf = (number: number): string => `${team}-${String(number).padStart(3, '0')}`;
    beforeAll(async () => {
      for (const group of ['odd', 'even']) await admin.post('/groups', { id: `${team}-${group}` });
      for (let start = 0; start < 300; start += 100) {
        await invite(
          Array.from({ length: 100 }, (_, index) => ({
            name: `Member ${start + index} ${team}`,
            end_user_id: idOf(start + index),
            scopes: (start + index) % 50 === 0 ? ['admin'] : READ,
            groups: [`${team}-${(start + index) % 2 === 0 ? 'even' : 'odd'}`],
          })),
        );
      }
    });

    it('are listed in pages, by name, with their number', async () => {
      const seen: string[] = [];
      for (let skip = 0; skip < 300; skip += 120) {
        const page = await list(`q=${team}&skip=${skip}&limit=120`);
        expect(page.total).toBe(300);
        seen.push(...page.people.map(({ name }) => name));
      }
      expect(new Set(seen).size).toBe(300);
      expect(seen).toEqual([...seen].sort());
      expect(await list(`q=${team}&skip=900`)).toEqual({ people: [], total: 300 });
    });

    it('are found by a part of their name or id in any case, by permission and by group', async () => {
      expect((await list(`q=MEMBER%20299%20${team}`)).people).toMatchObject([
        { id: idOf(299), name: `Member 299 ${team}`, scopes: READ, groups: [`${team}-odd`], active: true },
      ]);
      expect((await list(`q=${idOf(17)}`)).total).toBe(1);
      expect((await list(`q=${team}&scope=admin`)).total).toBe(6);
      expect((await list(`q=${team}&scope=query`)).total).toBe(300);
      expect((await list(`q=${team}&group=${team}-odd`)).total).toBe(150);
      expect((await list('q=%25')).total).toBe(0); // no pattern
    });

    it('are invited together or not at all', async () => {
      const fresh = { name: 'Fresh', end_user_id: newId(), scopes: READ };
      const known = { name: 'Known', end_user_id: idOf(1), scopes: READ };
      const ask = (people: object[]) => admin.post('/people', { people });
      expect(told(await ask([fresh, known]))).toEqual([
        409,
        `{"detail":"These people have access already: ${idOf(1)}"}`,
      ]);
      expect((await ask([fresh, { ...fresh, groups: ['no such group'] }])).status).toBe(422);
      expect((await ask([{ ...fresh, groups: ['no such group'] }])).status).toBe(404);
      expect(told(await ask([fresh, fresh]))).toEqual([
        422,
        expect.stringContaining('"people",1,"end_user_id"'),
      ]);
      expect((await ask([])).status).toBe(422);
      expect((await ask(Array.from({ length: 201 }, () => fresh))).status).toBe(422);
      expect((await list(`q=${fresh.end_user_id}&state=all`)).total).toBe(0);
    });
  });

  it('are known by what they ask, own, and when they were last active', async () => {
    const id = newId();
    const client = await join(id);
    await new Documents(() => client).ingestText('The lamp is lit at dusk.', {});
    ok(await client.post('/query', { query: 'When is the lamp lit?', chat_id: randomUUID() }));
    ok(await admin.get('/usage/keys')); // writes the log
    const [person] = (await list(`q=${id}`)).people;
    expect(person).toMatchObject({ questions: 1, documents: 1, chats: 1, active: true });
    expect(ok(await admin.get(`/people/${id}`)).json()).toEqual(person);
    expect((await admin.get('/people/nobody-at-all')).status).toBe(404);
  });

  it('get another role and other groups, which count at once where they are signed in', async () => {
    const [id, group] = [newId(), newId()];
    await admin.post('/groups', { id: group });
    const { people } = await invite([{ name: 'Cleo', end_user_id: id, scopes: WRITE }]);
    const client = await signIn(people[0]?.url);
    ok(await admin.post('/keys', { name: 'program', end_user_id: id, scopes: ['read'] }));
    ok(await change(id, { name: 'Cleo Ray', scopes: ['read'], groups: [group] }));
    const keys = ok(await admin.get('/keys')).json() as { name: string; end_user_id: string | null }[];
    expect(new Set(keys.filter((key) => key.end_user_id === id).map((key) => key.name))).toEqual(
      new Set(['Cleo Ray', 'program']),
    );
    await until(
      'the change counts',
      async () => (await client.post('/ingest/text', { content: 'x' })).status === 403,
    );
    expect((await list(`q=${id}`)).people).toMatchObject([
      { name: 'Cleo Ray', scopes: ['read'], groups: [group] },
    ]);
    ok(await change(id, { scopes: WRITE }));
    await until(
      'the change counts',
      async () => (await client.post('/ingest/text', { content: 'x' })).status === 200,
    );
    expect((await list(`q=${id}`)).people).toMatchObject([{ name: 'Cleo Ray', groups: [group] }]);
    expect(told(await change(id, { groups: ['no such group'] }))).toEqual([404, expect.any(String)]);
    expect((await change(id, { scopes: [] })).status).toBe(422);
    expect((await change(newId(), { name: 'Nobody' })).status).toBe(404);
  });

  it('lose their access; what they own is kept', async () => {
    const id = newId();
    const client = await join(id);
    const { external_id: document } = await new Documents(() => client).ingestText('A secret.', {});
    expect(ok(await remove(id)).json()).toEqual({
      keys: 1,
      documents_deleted: 0,
      documents_handed_over: 0,
      files_deleted: 0,
      folders_deleted: 0,
      chats_deleted: 0,
    });
    await until('the change counts', async () => (await client.get('/folders')).status === 401);
    expect((await admin.get(`/documents/${document}`)).status).toBe(200);
    expect((await list(`q=${id}`)).total).toBe(0);
    expect((await list(`q=${id}&state=ended`)).people).toMatchObject([
      { id, scopes: [], active: false, documents: 1 },
    ]);
    expect((await change(id, { name: 'Back' })).status).toBe(404);
    expect((await remove(newId())).status).toBe(404);
    const again = await join(id);
    expect((await again.get(`/documents/${document}`)).status).toBe(200);
  });

  it('hand their documents over to somebody else, and their folders and files too', async () => {
    const [id, heir] = [newId(), newId()];
    const [leaving, staying] = [await join(id), await join(heir)];
    const folder = `/${id}`;
    ok(await leaving.post('/folders', { name: folder }));
    const { external_id: document } = await new Documents(() => leaving).ingestText('The hull is green.', {
      folder_name: folder,
    });
    expect((await staying.get(`/documents/${document}`)).status).toBe(404);
    expect((await remove(id, '?documents=hand_over')).status).toBe(422);
    expect((await remove(id, `?documents=hand_over&to=${id}`)).status).toBe(422);
    expect((await remove(id, `?documents=hand_over&to=${newId()}`)).status).toBe(422);
    expect((await leaving.get('/folders')).status).toBe(200); // a refused request ended nothing
    expect(ok(await remove(id, `?documents=hand_over&to=${heir}&chats=delete`)).json()).toMatchObject({
      documents_handed_over: 1,
    });
    expect(ok(await staying.get(`/documents/${document}`)).json()).toMatchObject({ end_user_id: heir });
    const found = ok(await staying.post('/retrieve/chunks', { query: 'What colour is the hull?' }));
    expect(JSON.stringify(found.json())).toContain('The hull is green.');
    expect(ok(await staying.get('/folders')).text).toContain(folder);
    expect((await staying.delete(`/documents/${document}`)).status).toBe(200);
  });

  it('take their documents and chats with them, if the administrator says so', async () => {
    const id = newId();
    const client = await join(id);
    const mine = new Documents(() => client);
    const own: string[] = [];
    for (let n = 0; n < 3; n += 1) own.push((await mine.ingestText(`Note ${n}.`, {})).external_id);
    const chat = randomUUID();
    ok(await client.post('/query', { query: 'What is note 1?', chat_id: chat }));
    ok(await client.post('/v1/conversations', {}));
    expect(ok(await remove(id, '?documents=delete&chats=delete')).json()).toMatchObject({
      documents_deleted: 3,
      chats_deleted: 2,
    });
    for (const one of own) expect((await admin.get(`/documents/${one}`)).status).toBe(404);
    expect((await admin.get(`/chat/${chat}?end_user_id=${id}`)).status).toBe(404);
    expect(ok(await remove(id, '?documents=delete&chats=delete')).json()).toMatchObject({
      documents_deleted: 0,
    });
  });

  it('get what is stored of them: documents, chats with versions and ratings, and talk of the OpenAI protocol', async () => {
    const id = newId();
    const client = await join(id);
    const mine = new Documents(() => client);
    const owned: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const text = `Note ${n} of ${id}.`;
      owned.push((await mine.ingestText(text, { filename: `${n}.txt`, metadata: { n } })).external_id);
    }
    const chat = randomUUID();
    ok(await client.post('/query', { query: 'What is note 1?', chat_id: chat }));
    ok(await client.put(`/chat/${chat}/messages/1/feedback`, { rating: 'good' }));
    ok(await client.post('/query', { query: 'What is note 2?', chat_id: chat, replace_from: 0 }));
    for (let n = 3; n < 15; n += 1) {
      const message = { type: 'message', role: 'user', content: `What is note ${n}?` };
      ok(await client.post('/v1/conversations', { items: [message] }));
    }
    await new Documents(() => admin).ingestText('Of somebody else.', {});
    const exported = ok(await admin.get(`/people/${id}/export`));
    const lines = exported.text.trimEnd().split('\n');
    const all = lines.map((line) => JSON.parse(line) as { type: string } & Record<string, unknown>);
    const ofType = (type: string) => all.filter((one) => one.type === type);
    expect(ofType('person')).toMatchObject([{ person: { id, active: true, documents: 12 } }]);
    expect(new Set(ofType('document').map(({ external_id: document }) => document))).toEqual(new Set(owned));
    expect(ofType('document')).toContainEqual(
      expect.objectContaining({ filename: '7.txt', metadata: { n: 7 }, content: `Note 7 of ${id}.` }),
    );
    expect(ofType('chat')).toMatchObject([
      {
        id: chat,
        messages: [{ content: 'What is note 2?' }, { role: 'assistant' }],
        replaced_messages: [{ content: 'What is note 1?' }, { feedback: { rating: 'good' } }],
      },
    ]);
    const asked = ofType('conversation').map(({ messages }) =>
      (messages as { content: string }[]).map((one) => one.content),
    );
    expect(asked.sort()).toEqual(Array.from({ length: 12 }, (_, n) => [`What is note ${n + 3}?`]).sort());
    expect(exported.text).not.toContain('somebody else');
    expect((await admin.get(`/people/${newId()}/export`)).status).toBe(404);
  });

  it('are managed by administrators alone; one with an end user learns and destroys nothing private', async () => {
    const id = newId();
    const person = await join(id);
    const invited = await join(newId(), ['admin']);
    for (const answer of [
      await person.get('/people'),
      await person.get(`/people/${id}`),
      await person.get(`/people/${id}/export`),
      await invited.get(`/people/${id}/export`),
      await change(id, { scopes: ['admin'] }, person),
      await remove(id, '', person),
      await person.post('/people', { people: [{ name: 'X', end_user_id: newId(), scopes: READ }] }),
    ]) {
      expect(answer.status).toBe(403);
    }
    expect((await list(`q=${id}`, invited)).people).toMatchObject([{ id, documents: null, chats: null }]);
    await new Documents(() => person).ingestText('Private.', {});
    expect((await change(id, { scopes: ['admin'] }, invited)).status).toBe(403); // would read more than the caller
    const ofPrivate = newId();
    await admin.post('/groups', { id: ofPrivate, name: 'Readers' });
    const access = { readers: [`group:${ofPrivate}`], writers: [] };
    await new Documents(() => admin).ingestText('For the readers.', { access_control: access });
    expect((await change(id, { groups: [ofPrivate] }, invited)).status).toBe(403);
    expect((await change(id, { groups: ['nowhere'] }, invited)).status).toBe(404);
    ok(await change(id, { groups: [ofPrivate] }));
    // Less, or as much, hands nothing out.
    ok(await change(id, { scopes: READ, groups: [ofPrivate] }, invited));
    ok(await change(id, { scopes: ['read', 'write'] }, invited));
    expect((await remove(id, '?documents=delete', invited)).status).toBe(403);
    expect((await remove(id, '?chats=delete', invited)).status).toBe(403);
    expect((await person.get('/folders')).status).toBe(200);
    expect((await remove(id, '', invited)).status).toBe(200);
    await until('the change counts', async () => (await person.get('/folders')).status === 401);
  });

  it('have names in the directory, for those who may share', async () => {
    const [id, group] = [newId(), newId()];
    const writer = await join(id);
    const reader = await join(newId(), READ);
    await admin.post('/groups', { id: group, name: `Group of ${id}` });
    const named = [
      { id: `group:${group}`, name: `Group of ${id}`, detail: null, provided: false },
      { id: `user:${id}`, name: id.toUpperCase(), detail: null, provided: false },
    ];
    const found = ok(await writer.get(`/directory?q=${id}`)).json() as object[];
    expect(found).toEqual([named[1], named[0]]); // a name that begins with the text comes first
    expect((await reader.get(`/directory?q=${id}`)).status).toBe(403);
    const last = newId();
    await admin.post('/keys', { name: `Jürgen O’Brien-${last}`, scopes: READ, end_user_id: newId() });
    for (const q of [`jurgen ${last}`, `${last} JÜRG`, `brien-${last}`, `o’brien ${last.slice(0, 8)}`]) {
      const people = ok(await writer.get(`/directory?q=${encodeURIComponent(q)}`)).json();
      expect([q, people]).toEqual([q, [expect.objectContaining({ name: `Jürgen O’Brien-${last}` })]]);
    }
    expect(ok(await writer.get(`/directory?q=urgen%20${last}`)).json()).toEqual([]); // no beginning of a word
    const known = ok(await reader.get(`/directory?ids=user:${id}&ids=group:${group}&ids=user:nobody`));
    expect(known.json()).toEqual(named);
    expect(ok(await writer.get('/directory')).json()).toEqual([]);
    await remove(id);
    expect(ok(await admin.get(`/directory?q=${id}`)).json()).toEqual([named[0]]);
    expect(ok(await reader.get(`/directory?ids=user:${id}`)).json()).toEqual([named[1]]);
  });
});
