import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

interface Folder {
  readonly id: string;
  readonly full_path: string;
  readonly parent_id: string | null;
  readonly child_count: number;
  readonly description: string | null;
  readonly document_ids: readonly string[];
  readonly access_source: string;
  readonly your_access: string;
  readonly end_user_id: string | null;
  readonly system_metadata: { readonly created_at: string; readonly updated_at: string };
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe.each([1, 3])('folders of one path that several people have (%d shards)', (parts) => {
  let service: SharedService;
  let owner: Client;
  let ann: Client;
  let bob: Client;
  let carol: Client;
  let application: Client;

  const keyOf = async (more: object): Promise<Client> => {
    const answer = await owner.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more });
    return service.as((answer.json() as { key: string }).key);
  };
  const newPath = (name = 'p'): string => `/${name}-${randomUUID().slice(0, 8)}`;
  const fine = (answer: Answer): Answer => {
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer;
  };
  const make = async (by: Client, path: string, more: object = {}): Promise<Folder> =>
    fine(await by.post('/folders', { name: path, full_path: path, ...more })).json() as Folder;
  const add = async (by: Client, folder?: string, more: object = {}): Promise<string> => {
    const place = folder === undefined ? {} : { folder_name: folder };
    return (await new Documents(() => by).ingestText('A note.', { ...place, ...more })).external_id;
  };
  /** Documents in every shard, most likely. */
  const fill = async (by: Client, folder: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let made = 0; made < (parts === 1 ? 1 : 6); made += 1) ids.push(await add(by, folder));
    return ids;
  };
  const move = async (by: Client, from: string, to: string): Promise<Folder> =>
    fine(await by.post(`/folders${from}/move`, { new_path: to })).json() as Folder;
  const list = async (by: Client): Promise<Folder[]> => fine(await by.get('/folders')).json() as Folder[];
  const pathsBelow = async (by: Client, ...roots: string[]): Promise<string[]> =>
    (await list(by))
      .map(({ full_path: path }) => path)
      .filter((path) => roots.some((root) => path === root || path.startsWith(`${root}/`)));
  const get = (by: Client, path: string): Promise<Answer> => by.get(`/folders${path}`);
  const storesOf = async (by: Client): Promise<string> =>
    fine(await by.get('/v1/vector_stores?limit=100')).text;
  const patch = (by: Client, place: string, body: object): Promise<Answer> =>
    by.call('PATCH', place, { body });

  beforeAll(async () => {
    service = await SharedService.enter();
    owner = service.as(await service.newTenant({ parts }));
    ann = await keyOf({ end_user_id: 'ann' });
    bob = await keyOf({ end_user_id: 'bob' });
    carol = await keyOf({ end_user_id: 'carol' });
    application = await keyOf({});
  });
  afterAll(() => service.stop());

  describe('move without those who made one of the same name', () => {
    it.each([
      ['of a person', () => ann],
      ['of the tenant, with documents of a person only', () => application],
    ])('%s', async (_, mover) => {
      const [path, secret, parent] = [newPath(), newPath('plan-to-fire-bob'), newPath('secret-parent')];
      const hidden = await make(mover(), path);
      const ids = await fill(ann, path);
      const claimed = await make(bob, path, { description: 'Of Bob' });
      await make(carol, path);
      const store = `vs_${claimed.id.replaceAll('-', '')}`;
      const before = (await get(bob, path)).json() as Folder;

      expect(await move(mover(), path, secret)).toMatchObject({ id: hidden.id, full_path: secret });
      await move(mover(), secret, parent);
      await make(ann, `${parent}/more`);
      await move(mover(), `${parent}/more`, `${parent}/inner`);

      for (const stranger of [bob, carol]) {
        const seen = (await stranger.get('/folders')).text + (await storesOf(stranger));
        for (const name of [secret, parent, 'inner', hidden.id]) expect(seen).not.toContain(name);
        for (const place of [secret, parent, `/${hidden.id}`, `/${claimed.id}`]) {
          expect((await get(stranger, place)).status).toBe(404);
        }
        expect((await stranger.get(`/v1/vector_stores/${store}`)).status).toBe(404);
        expect((await stranger.get(`/v1/vector_stores/${store}/files`)).status).toBe(404);
        expect(await pathsBelow(stranger, path)).toEqual([path]);
      }
      const after = (await get(bob, path)).json() as Folder;
      expect(after).toMatchObject({
        description: 'Of Bob',
        document_ids: [],
        access_source: 'none',
        end_user_id: 'bob',
        system_metadata: before.system_metadata,
      });
      expect(after.id).not.toBe(hidden.id);
      expect((await get(carol, path)).json()).toMatchObject({ description: null, end_user_id: 'carol' });

      for (const reader of [ann, application]) {
        const kept = (await get(reader, parent)).json() as Folder;
        expect([kept.id, kept.document_ids]).toEqual([hidden.id, [...ids].sort()]);
      }
      expect((await get(ann, path)).status).toBe(404);
      const record = fine(await ann.get(`/documents/${ids[0]}`)).json();
      expect(record).toMatchObject({ folder_path: parent });
      // The folder is Bob's own now.
      const mine = await add(bob, path);
      expect((await get(bob, path)).json()).toMatchObject({ document_ids: [mine], your_access: 'manage' });
      await move(bob, path, newPath());
      expect((await get(bob, path)).status).toBe(404);
      expect((await get(carol, path)).status).toBe(200);
    });

    it('and without their subfolders', async () => {
      const [path, secret] = [newPath(), newPath('secret')];
      await make(ann, path);
      await fill(ann, `${path}/deep/er`);
      await make(bob, `${path}/deep/bob`, { description: 'Mine' });
      const { id } = (await get(bob, `${path}/deep/bob`)).json() as Folder;
      // Bob keeps an empty folder, without a claim.
      const note = await add(carol, `${path}/notes/carol`);
      fine(await carol.delete(`/documents/${note}`));
      // Ann adds to a folder of Bob, of which she knows the name only.
      const theirs = await add(ann, `${path}/deep/bob`);

      await move(ann, path, secret);
      for (const stranger of [bob, carol]) {
        expect((await stranger.get('/folders')).text).not.toContain(secret);
        expect(await storesOf(stranger)).not.toContain(secret);
      }
      expect(await pathsBelow(bob, path)).toEqual([path, `${path}/deep`, `${path}/deep/bob`]);
      expect(await pathsBelow(carol, path)).toEqual([path, `${path}/notes`, `${path}/notes/carol`]);
      expect((await get(bob, `${path}/deep/bob`)).json()).toMatchObject({ id, description: 'Mine' });
      expect((await get(carol, `${path}/deep`)).status).toBe(404);
      expect(await pathsBelow(ann, path, secret)).toEqual([
        secret,
        `${secret}/deep`,
        `${secret}/deep/bob`,
        `${secret}/deep/er`,
      ]);
      expect((await get(ann, `${secret}/deep/bob`)).json()).toMatchObject({
        description: null,
        document_ids: [theirs],
      });
      expect((await ann.get(`/documents/${theirs}`)).json()).toMatchObject({
        folder_path: `${secret}/deep/bob`,
      });
      // Every folder has a parent.
      for (const folder of await list(application)) {
        expect([folder.full_path, folder.parent_id !== null]).toEqual([
          folder.full_path,
          folder.full_path.lastIndexOf('/') > 0,
        ]);
      }
      fine(await ann.delete(`/folders${secret}?recursive=true`));
      expect((await get(bob, `${path}/deep/bob`)).status).toBe(200);
    });

    it('and with what others have in these subfolders', async () => {
      const [path, secret] = [newPath('t'), newPath('secret')];
      await make(application, path);
      await fill(ann, path);
      await make(bob, `${path}/sub`, { description: 'Of Bob' });
      await make(ann, `${path}/sub`, { description: 'Of Ann' });
      await make(ann, `${path}/sub/ann`);
      await move(application, path, secret);
      expect(await pathsBelow(bob, path, secret)).toEqual([path, `${path}/sub`]);
      expect((await get(bob, `${path}/sub`)).json()).toMatchObject({ description: 'Of Bob' });
      expect(await pathsBelow(ann, path, secret)).toEqual([secret, `${secret}/sub`, `${secret}/sub/ann`]);
      const own = (await get(ann, `${secret}/sub`)).json();
      expect(own).toMatchObject({ description: 'Of Ann', child_count: 1, your_access: 'manage' });
      // The application reaches both.
      await move(application, `${secret}/sub`, newPath('out'));
      expect(await pathsBelow(application, path, secret)).toEqual([secret, path, `${path}/sub`]);
    });

    it('but with everybody who sees them for another reason, by name or in a group', async () => {
      const [path, moved] = [newPath(), newPath('moved')];
      const group = `crew-${randomUUID().slice(0, 8)}`;
      fine(await owner.post('/groups', { id: group, members: ['carol'] }));
      await make(ann, path);
      await fill(ann, path);
      await make(bob, path);
      const lists = { writers: ['bob', `group:${group}`] };
      fine(await patch(ann, `/folders${path}`, { access_control: lists }));
      await until('Carol is in the group', async () => (await get(carol, path)).status === 200);
      await make(bob, `${path}/bob`);
      await make(carol, `${path}/carol`);

      await move(ann, path, moved);
      for (const reader of [bob, carol]) {
        expect(await pathsBelow(reader, path, moved)).toEqual([moved, `${moved}/bob`, `${moved}/carol`]);
      }
      fine(await patch(ann, `/folders${moved}`, { access_control: { writers: [] } }));
      // The claim of Bob has ended, because he saw the folder. Each has a subfolder.
      const next = newPath('next');
      await move(ann, moved, next);
      for (const [reader, own] of [
        [bob, 'bob'],
        [carol, 'carol'],
      ] as const) {
        expect(await pathsBelow(reader, next, moved)).toEqual([moved, `${moved}/${own}`]);
      }
      expect(await pathsBelow(ann, path, moved, next)).toEqual([next]);
    });

    it('and what stays below a shared folder is private', async () => {
      const team = newPath('team');
      await make(application, team, { access_control: { writers: ['ann'], readers: ['carol'] } });
      await make(ann, `${team}/p`, { access_control: { readers: [] } });
      await fill(ann, `${team}/p`);
      await make(bob, `${team}/p`);
      await make(bob, `${team}/p/bob`);
      const elsewhere = newPath('elsewhere');
      await move(ann, `${team}/p`, elsewhere);
      expect(await pathsBelow(bob, team, elsewhere)).toEqual([team, `${team}/p`, `${team}/p/bob`]);
      expect(await pathsBelow(carol, team)).toEqual([team]);
      expect(await pathsBelow(ann, team, elsewhere)).toEqual([elsewhere, team]);
    });

    it('and end for everybody when they are deleted, also if they are made anew', async () => {
      const path = newPath();
      await make(ann, path);
      await fill(ann, path);
      const { id } = await make(bob, path);
      fine(await ann.delete(`/folders${path}?recursive=true`));
      for (const place of [path, `/${id}`]) expect((await get(bob, place)).status).toBe(404);
      await make(ann, path);
      expect((await get(bob, path)).status).toBe(404);
      const secret = newPath('secret');
      await move(ann, path, secret);
      for (const place of [path, secret]) expect((await get(bob, place)).status).toBe(404);
    });
  });

  it('count like new ones for who makes them', async () => {
    const dora = await keyOf({ end_user_id: 'dora', quotas: { folders: 2 } });
    const hidden = newPath();
    await make(ann, hidden);
    await make(dora, hidden);
    await move(ann, hidden, newPath());
    const left = newPath();
    await make(ann, left);
    await make(dora, left);
    await make(dora, left);
    const used = fine(await dora.get('/usage/quotas')).json() as object[];
    expect(used).toContainEqual(expect.objectContaining({ level: 'person', name: 'folders', used: 2 }));
    const more = newPath();
    await make(ann, more);
    for (const path of [more, newPath()]) {
      expect((await dora.post('/folders', { name: path })).status).toBe(413);
    }
  });

  it('that became hidden are not reached by an id that was kept', async () => {
    const [path, secret] = [newPath('t'), newPath('bob-is-fired')];
    const { id } = await make(application, path);
    const document = await add(application, path);
    expect((await get(bob, `/${id}`)).status).toBe(200);
    const store = `vs_${id.replaceAll('-', '')}`;
    const fields = new FormData();
    fields.append('purpose', 'assistants');
    fields.append('file', new Blob(['A file.']), 'a.txt');
    const { id: file } = fine(await bob.post('/v1/files', fields)).json() as { id: string };
    const began = await bob.post(`/v1/vector_stores/${store}/file_batches`, { file_ids: [file] });
    const { id: batch } = fine(began).json() as { id: string };
    await until('the file is attached', async () => {
      const answer = await bob.get(`/v1/vector_stores/${store}/file_batches/${batch}`);
      return (answer.json() as { status: string }).status === 'completed';
    });
    fine(await bob.delete(`/v1/vector_stores/${store}/files/${file}`));
    fine(await patch(application, `/documents/${document}`, { end_user_id: 'ann' }));
    await move(application, path, secret);
    const own = await add(bob);
    const asked = (folder: string, vectorStore: string): [string, string, object?][] => [
      ['GET', `/folders/${folder}`],
      ['PATCH', `/folders/${folder}`, { access_control: null }],
      ['DELETE', `/folders/${folder}`],
      ['GET', `/folders/${folder}/summary`],
      ['PUT', `/folders/${folder}/summary`, { content: 'x' }],
      ['POST', `/folders/${folder}/move`, { new_path: newPath() }],
      ['POST', `/folders/${folder}/documents/${own}`],
      ['DELETE', `/folders/${folder}/documents/${own}`],
      ['POST', '/folders', { name: 'child', parent_id: folder }],
      ['GET', `/folders?parent_id=${folder}`],
      ['POST', '/folders/details', { identifiers: [folder] }],
      ['GET', `/v1/vector_stores/${vectorStore}`],
      ['POST', `/v1/vector_stores/${vectorStore}`, { name: 'x' }],
      ['DELETE', `/v1/vector_stores/${vectorStore}`],
      ['POST', `/v1/vector_stores/${vectorStore}/search`, { query: 'x' }],
      ['GET', `/v1/vector_stores/${vectorStore}/files`],
      ['POST', `/v1/vector_stores/${vectorStore}/files`, { file_id: file }],
      ['POST', `/v1/vector_stores/${vectorStore}/file_batches`, { file_ids: [file] }],
      ['GET', `/v1/vector_stores/${vectorStore}/file_batches/${batch}`],
      ['GET', `/v1/vector_stores/${vectorStore}/file_batches/${batch}/files`],
      ['POST', `/v1/vector_stores/${vectorStore}/file_batches/${batch}/cancel`],
    ];
    const told = async (folder: string): Promise<[string, number, string][]> => {
      const vectorStore = `vs_${folder.replaceAll('-', '')}`;
      const answers: [string, number, string][] = [];
      for (const [method, place, body] of asked(folder, vectorStore)) {
        const answer = await bob.call(method, place, body === undefined ? {} : { body });
        const neutral = (text: string): string => text.replaceAll(folder, 'ID').replaceAll(vectorStore, 'VS');
        answers.push([`${method} ${neutral(place)}`, answer.status, neutral(answer.text)]);
      }
      return answers;
    };
    expect(await told(id)).toEqual(await told(UNKNOWN));
    expect((await bob.get(`/documents/${own}`)).json()).toMatchObject({ folder_path: null });
    // Its path still leads to it, as to a new folder.
    expect((await bob.post(`/folders${secret}/documents/${own}`)).status).toBe(200);
    // An id that leads nowhere is a name like any other.
    fine(await bob.delete(`/documents/${own}`));
    await make(bob, `/${id}`);
    expect((await get(bob, `/${id}`)).json()).toMatchObject({ full_path: `/${id}` });
  });

  it.each([
    ['with access lists', { access_control: { readers: [] } }],
    ['without access lists', {}],
  ])('that others made %s look new to who makes a subfolder', async (_, lists) => {
    const path = newPath('sec');
    await make(ann, path, lists);
    await fill(ann, path);
    const begun = Date.now();
    const below = await make(bob, `${path}/sub`);
    expect(below).toMatchObject({ your_access: 'manage', end_user_id: 'bob' });
    const created = ({ system_metadata: { created_at: at } }: Folder): number => Date.parse(at);
    const parent = (await get(bob, path)).json() as Folder;
    expect(parent).toMatchObject({ child_count: 1, access_source: 'none', end_user_id: 'bob' });
    expect(created(parent)).toBeGreaterThanOrEqual(begun);
    // Without a claim the folder is as old as what the person has in it.
    const note = await add(carol, `${path}/notes/carol`);
    const since = (await list(carol)).filter(({ full_path: one }) => one.startsWith(path)).map(created);
    expect(since.map((at) => at >= begun)).toEqual([true, true, true]);
    fine(await carol.delete(`/documents/${note}`));
    const later = (await list(carol)).filter(({ full_path: one }) => one.startsWith(path)).map(created);
    expect(later.map((at) => at >= begun)).toEqual([true, true, true]);
  });
});
