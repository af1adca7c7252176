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
