import { readdir } from 'node:fs/promises';
import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

const SECRET = 'The bytes of the upload of Ann.';

interface Named {
  readonly id: string;
}

interface Folder extends Named {
  readonly full_path: string;
  readonly description: string | null;
  readonly end_user_id: string | null;
  readonly access_control?: { readonly admins: string[] };
}

describe.each([1, 3])('what a removed person leaves (%d shards)', (parts) => {
  let service: SharedService;
  let admin: Client;
  let application: Client;
  let ann: Client;
  let bob: Client;
  let carl: Client;

  const ok = (answer: Answer): unknown => {
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json();
  };
  const keyOf = async (more: object): Promise<Client> => {
    const made = ok(
      await admin.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more }),
    ) as { key: string };
    return service.as(made.key);
  };
  const remove = async (query: string): Promise<unknown> => ok(await admin.delete(`/people/ann?${query}`));
  const add = async (by: Client, folder: string, text = 'A note.', more: object = {}): Promise<string> =>
    (await new Documents(() => by).ingestText(text, { folder_name: folder, ...more })).external_id;
  const make = async (by: Client, path: string, more: object = {}): Promise<Folder> =>
    ok(await by.post('/folders', { name: path, full_path: path, ...more })) as Folder;
  const folder = async (by: Client, path: string): Promise<Folder | number> => {
    const answer = await by.get(`/folders${path}`);
    return answer.status === 200 ? (answer.json() as Folder) : answer.status;
  };
  const upload = async (by: Client): Promise<string> => {
    const form = new FormData();
    form.append('purpose', 'assistants');
    form.append('file', new Blob([SECRET]), 'secret.txt');
    return (ok(await by.post('/v1/files', form)) as Named).id;
  };
  const content = async (by: Client, file: string): Promise<string | number> => {
    const { status, text } = await by.get(`/v1/files/${file}/content`);
    return status === 200 ? text : status;
  };
  /** Number of the objects of a file in the file store. */
  const objectsOf = async (file: string): Promise<number> => {
    const id = file.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const paths = await readdir(`${service.dataDir}/files`, { recursive: true });
    return paths.filter((path) => path.includes(`${id}/`)).length;
  };
  const makeStore = async (by: Client, name: string, files: string[] = []): Promise<string> =>
    (ok(await by.post('/v1/vector_stores', { name, file_ids: files })) as Named).id;
  const filled = (by: Client, store: string): Promise<unknown> =>
    until('the file is attached', async () => {
      const { file_counts: counts } = ok(await by.get(`/v1/vector_stores/${store}`)) as {
        file_counts: { completed: number };
      };
      return counts.completed === 1;
    });
  const statusOf = async (by: Client, path: string): Promise<number> => (await by.get(path)).status;
  /** Everything that the listings show to a key. */
  const listed = async (by: Client): Promise<string> =>
    [
      await by.get('/folders'),
      await by.get('/v1/files'),
      await by.get('/v1/vector_stores'),
      await by.post('/documents', { limit: 1_000 }),
    ]
      .map(({ text }) => text)
      .join('\n');

  beforeAll(async () => {
    service = await SharedService.enter();
  });
  beforeEach(async () => {
    admin = service.as(await service.newTenant({ parts }));
    application = await keyOf({});
    [ann, bob, carl] = (await Promise.all(
      ['ann', 'bob', 'carl'].map((end_user_id) => keyOf({ end_user_id })),
    )) as [Client, Client, Client];
  });
  afterAll(() => service.stop());

  /** A key for a person of the same id. */
  const again = (): Promise<Client> => keyOf({ end_user_id: 'ann' });

  describe('with documents=delete', () => {
    it('is no uploaded file, folder or vector store, also for a person of the same id', async () => {
      const file = await upload(ann);
      const store = await makeStore(ann, 'Store of Ann', [file]);
      await filled(ann, store);
      await make(ann, '/ann', { description: 'Plans of Ann' });
      await make(ann, '/ann/below', { description: 'Plans of Ann' });
      await add(ann, '/ann/below', 'Ann leaves in May.');
      expect(await objectsOf(file)).toBe(1);
      const removed = await remove('documents=delete&chats=delete');
      expect(await objectsOf(file)).toBe(0);
      expect(removed).toMatchObject({ documents_deleted: 2, files_deleted: 1, folders_deleted: 3 });
      const next = await again();
      expect(await content(next, file)).toBe(404);
      expect(await content(admin, file)).toBe(404);
      expect(await statusOf(next, `/v1/vector_stores/${store}`)).toBe(404);
      for (const by of [next, admin, bob]) expect(await listed(by)).not.toMatch(/secret|of Ann|"\/ann|Plans/);
      expect(await statusOf(admin, '/folders/ann')).toBe(404);
      expect(await remove('documents=delete&chats=delete')).toMatchObject({
        files_deleted: 0,
        folders_deleted: 0,
      });
    });

    it('is a folder in which others have documents, without its owner and what only the owner saw', async () => {
      await make(ann, '/mixed', { description: 'Plans of Ann' });
      ok(await ann.put('/folders/mixed/summary', { content: 'Summary of Ann' }));
      await add(ann, '/mixed', 'Ann leaves in May.');
      const theirs = await add(bob, '/mixed', 'The boat of Bob.');
      const own = await add(admin, '/mixed', 'For everybody.');
      await remove('documents=delete');
      expect(await folder(admin, '/mixed')).toMatchObject({ end_user_id: null, description: null });
      expect(await statusOf(admin, '/folders/mixed/summary')).toBe(404);
      const next = await again();
      expect(await statusOf(bob, `/documents/${theirs}`)).toBe(200);
      expect([
        await statusOf(next, `/documents/${theirs}`),
        await statusOf(next, `/documents/${own}`),
      ]).toEqual([404, 200]);
      expect(await listed(next)).not.toContain('of Ann');
      expect((await next.delete('/folders/mixed')).status).toBe(403);
    });

    it('is a shared folder, for those with whom it is shared', async () => {
      await make(ann, '/shared', { description: 'For Bob', access_control: { readers: ['user:bob'] } });
      await make(ann, '/shared/empty');
      await make(ann, '/alone', { access_control: { admins: ['user:ann'] } });
      await remove('documents=delete');
      expect(await folder(bob, '/shared')).toMatchObject({
        description: 'For Bob',
        end_user_id: null,
        access_control: { readers: ['user:bob'], admins: [] },
      });
      expect(await folder(admin, '/alone')).toBe(404);
      const next = await again();
      expect(await folder(next, '/shared')).toBe(404);
      expect(await listed(next)).not.toContain('shared');
    });

    it('is a folder that somebody else made too, who has it now', async () => {
      await make(ann, '/plans', { description: 'Plans of Ann' });
      await make(bob, '/plans', { description: 'Plans of Bob' });
      await make(bob, '/bob', { description: 'Of Bob' });
      await make(ann, '/bob', { description: 'Claim of Ann' });
      await remove('documents=delete');
      expect(await folder(bob, '/plans')).toMatchObject({ description: 'Plans of Bob', end_user_id: 'bob' });
      expect(await folder(carl, '/plans')).toBe(404);
      const next = await again();
      expect([await folder(next, '/plans'), await folder(next, '/bob')]).toEqual([404, 404]);
      expect(await folder(bob, '/bob')).toMatchObject({ description: 'Of Bob', end_user_id: 'bob' });
    });

    it('is a private folder in which somebody else has a folder, who has it now', async () => {
      await make(ann, '/above', { description: 'Plans of Ann' });
      await make(bob, '/above/below', { description: 'Of Bob' });
      expect(await folder(carl, '/above')).toBe(404);
      expect(await remove('documents=delete')).toMatchObject({ folders_deleted: 0 });
      expect(await folder(bob, '/above')).toMatchObject({ description: null, end_user_id: 'bob' });
      expect(await folder(bob, '/above/below')).toMatchObject({ description: 'Of Bob' });
      for (const by of [carl, await again()]) expect(await folder(by, '/above')).toBe(404);
    });

    it('is a document of others that was made of a file, with its bytes', async () => {
      const file = await upload(ann);
      const store = await makeStore(application, 'Of everybody');
      ok(await application.post(`/v1/vector_stores/${store}/files`, { file_id: file }));
      await filled(application, store);
      const own = await makeStore(ann, 'Store of Ann', [file]);
      await filled(ann, own);
      await remove('documents=delete');
      const next = await again();
      expect([await content(next, file), await content(admin, file)]).toEqual([404, 404]);
      expect(await statusOf(admin, `/v1/vector_stores/${own}`)).toBe(404);
      const { documents } = ok(await admin.post('/documents', { limit: 10 })) as {
        documents: { external_id: string }[];
      };
      expect(documents).toHaveLength(1);
      const left = `/documents/${documents[0]?.external_id ?? ''}`;
      expect((await admin.get(`${left}/file`)).text).toBe(SECRET);
      expect(await statusOf(bob, left)).toBe(200);
      expect(await objectsOf(file)).toBe(1);
      ok(await admin.delete(left));
      expect(await objectsOf(file)).toBe(0);
    });
  });

  describe('with documents=hand_over', () => {
    it('are files, folders and vector stores, which somebody else has now', async () => {
      const file = await upload(ann);
      const store = await makeStore(ann, 'Store of Ann', [file]);
      await filled(ann, store);
      await make(ann, '/ann', { description: 'Plans of Ann' });
      await make(bob, '/bob', { description: 'Of Bob' });
      await make(ann, '/bob', { description: 'Claim of Ann' });
      expect(await remove('documents=hand_over&to=carl')).toMatchObject({
        documents_handed_over: 1,
        files_deleted: 0,
        folders_deleted: 0,
      });
      expect(await content(carl, file)).toBe(SECRET);
      expect(ok(await carl.get(`/v1/vector_stores/${store}`))).toMatchObject({ name: 'Store of Ann' });
      expect(await folder(carl, '/ann')).toMatchObject({ description: 'Plans of Ann', end_user_id: 'carl' });
      expect(await folder(carl, '/bob')).toMatchObject({ description: 'Claim of Ann' });
      const next = await again();
      expect(await listed(next)).not.toMatch(/secret|of Ann|Plans|"\/bob/);
    });

    it('is no entry of a list that names the person', async () => {
      await make(ann, '/h', { access_control: { readers: ['user:carl'] } });
      await make(ann, '/h/below');
      await make(bob, '/b', { access_control: { writers: ['user:ann'], readers: ['everyone'] } });
      const before = await add(bob, '/b', 'The boat of Bob.');
      const direct = await add(bob, '/elsewhere', 'The oar of Bob.', {
        access_control: { readers: ['user:ann', 'user:carl'] },
      });
      const follows = await add(ann, '/h/below', 'The mast of Ann.');
      const moved = await add(bob, '/b', 'Shown by its own lists.', {
        access_control: { readers: ['user:carl'] },
      });
      await remove('documents=hand_over&to=bob');
      const after = await add(bob, '/h', 'New, of Bob.');
      const below = await add(bob, '/h/below', 'New, below.');
      expect(await folder(bob, '/h')).toMatchObject({
        end_user_id: 'bob',
        access_control: { readers: ['user:carl'], writers: [], admins: ['user:bob'] },
      });
      expect(await folder(bob, '/b')).toMatchObject({
        access_control: { readers: ['everyone'], writers: [], admins: ['user:bob'] },
      });
      const next = await again();
      for (const id of [after, below, follows, direct]) {
        expect([id, await statusOf(next, `/documents/${id}`)]).toEqual([id, 404]);
        expect((await carl.get(`/documents/${id}`)).status).toBe(200);
        expect((await admin.get(`/documents/${id}`)).text).not.toContain('user:ann');
      }
      ok(await bob.call('PATCH', `/documents/${moved}`, { body: { access_control: null } }));
      for (const id of [before, moved]) {
        expect(ok(await next.get(`/documents/${id}`))).toMatchObject({ your_access: 'read' });
        expect((await admin.get(`/documents/${id}`)).text).not.toContain('user:ann');
      }
      expect((await next.delete(`/documents/${before}`)).status).toBe(403);
    });
  });

  it('are its things and its entries, if they are kept for an invitation', async () => {
    const file = await upload(ann);
    await make(bob, '/b', { access_control: { readers: ['user:ann'] } });
    const shared = await add(bob, '/b', 'The boat of Bob.');
    await remove('documents=keep');
    const next = await again();
    expect([await content(next, file), await statusOf(next, `/documents/${shared}`)]).toEqual([SECRET, 200]);
  });

  it('is exported: files, folders and vector stores', async () => {
    const file = await upload(ann);
    await upload(bob);
    const store = await makeStore(ann, 'Store of Ann');
    const own = await make(ann, '/ann', { description: 'Plans of Ann' });
    await make(bob, '/bob', { description: 'Of Bob' });
    await make(ann, '/bob', { description: 'Claim of Ann' });
    const { text } = await admin.get('/people/ann/export');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ofType = (type: string): unknown => lines.filter((one) => one['type'] === type);
    expect(ofType('file')).toMatchObject([
      { id: file, filename: 'secret.txt', purpose: 'assistants', bytes: SECRET.length },
    ]);
    expect(ofType('folder')).toMatchObject([
      { id: own.id, path: '/ann', description: 'Plans of Ann' },
      { path: '/bob', description: 'Claim of Ann' },
    ]);
    expect(ofType('vector_store')).toMatchObject([{ id: store, name: 'Store of Ann' }]);
    expect(text).not.toContain('Of Bob');
  });
});
