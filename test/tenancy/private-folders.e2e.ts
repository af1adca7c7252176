import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

interface Folder {
  readonly id: string;
  readonly full_path: string;
  readonly child_count: number;
}

describe.each([1, 3])('names of folders with private documents (%d shards)', (parts) => {
  let service: SharedService;
  let owner: Client;
  let ann: Client;
  let bert: Client;
  let application: Client;

  const keyOf = async (more: object): Promise<Client> => {
    const answer = await owner.post('/keys', {
      name: 'k',
      scopes: ['read', 'query', 'write'],
      ...more,
    });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return service.as((answer.json() as { key: string }).key);
  };
  const add = async (client: Client, folder: string): Promise<string> =>
    (await new Documents(() => client).ingestText(`A note for ${folder}.`, { folder_name: folder }))
      .external_id;
  const folders = async (client: Client): Promise<Folder[]> =>
    (await client.get('/folders')).json() as Folder[];
  /** The paths in every listing, which have to agree. */
  const listed = async (client: Client): Promise<string[]> => {
    const paths = (await folders(client)).map(({ full_path: path }) => path);
    const counted = (await client.get('/folders/summary')).json() as Folder[];
    const detailed = (await client.post('/folders/details', {})).json() as { folders: { folder: Folder }[] };
    expect(counted.map(({ full_path: path }) => path)).toEqual(paths);
    expect(detailed.folders.map(({ folder }) => folder.full_path)).toEqual(paths);
    return paths;
  };
  const create = (client: Client, path: string): Promise<Answer> =>
    client.post('/folders', { name: path, full_path: path });

  beforeAll(async () => {
    service = await SharedService.enter();
    owner = service.as(await service.newTenant({ parts }));
    ann = await keyOf({ end_user_id: 'ann' });
    bert = await keyOf({ end_user_id: 'bert' });
    application = await keyOf({});
    await add(bert, '/bert/notes');
    await add(bert, '/team/bert');
    await add(owner, '/team/all');
    await create(owner, '/shelf/empty');
  });
  afterAll(() => service.stop());

  it('are not listed for others, unlike empty folders and parents of what they see', async () => {
    const all = ['/bert', '/bert/notes', '/shelf', '/shelf/empty', '/team', '/team/all', '/team/bert'];
    expect(await listed(ann)).toEqual(['/shelf', '/shelf/empty', '/team', '/team/all']);
    for (const client of [bert, application, owner]) expect(await listed(client)).toEqual(all);
    const children = async (client: Client): Promise<number | undefined> =>
      (await folders(client)).find(({ full_path: path }) => path === '/team')?.child_count;
    expect([await children(ann), await children(bert)]).toEqual([1, 2]);
    expect(((await ann.get('/folders/team')).json() as Folder).child_count).toBe(1);
  });

  it('are unknown to others, by path and by id', async () => {
    const { id } = (await bert.get('/folders/bert/notes')).json() as Folder;
    for (const name of ['bert', 'bert/notes', id]) {
      for (const answer of [
        await ann.get(`/folders/${name}`),
        await ann.delete(`/folders/${name}?recursive=true`),
      ]) {
        expect([answer.status, answer.json()]).toEqual([404, { detail: 'Folder not found' }]);
      }
      const details = await ann.post('/folders/details', { identifiers: [name] });
      expect(details.json()).toEqual({ folders: [] });
      expect((await bert.get(`/folders/${name}`)).status).toBe(200);
    }
  });

  it('do not keep others from using them', async () => {
    const made = await create(ann, '/bert/notes');
    expect(made.json()).toMatchObject({ full_path: '/bert/notes', document_ids: [] });
    const id = await add(ann, '/mine');
    expect((await ann.post(`/folders/bert/notes/documents/${id}`)).status).toBe(200);
    expect(await listed(ann)).toEqual(expect.arrayContaining(['/bert', '/bert/notes']));
    await ann.delete(`/documents/${id}`);
    expect(await listed(ann)).not.toContain('/bert');
    await add(ann, '/team/bert');
    expect(await listed(ann)).toContain('/team/bert');
  });
});
