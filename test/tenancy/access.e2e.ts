import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

interface AccessControl {
  readonly readers: string[];
  readonly writers: string[];
  readonly admins: string[];
}

interface Shown {
  readonly external_id: string;
  readonly owner: { readonly type: string; readonly id: string };
  readonly access_control: AccessControl;
  readonly end_user_id: string | null;
}

const NO_LISTS = { readers: [], writers: [], admins: [] };

describe.each([1, 3])('access lists (%d shards)', (parts) => {
  let service: SharedService;
  let owner: Client;
  let ann: Client;
  let bob: Client;
  let cleo: Client;
  let dan: Client;

  const keyOf = async (more: object): Promise<Client> => {
    const answer = await owner.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return service.as((answer.json() as { key: string }).key);
  };
  const ingest = async (client: Client, text: string, more: object = {}): Promise<string> =>
    (await new Documents(() => client).ingestText(text, { filename: 'boat.txt', ...more })).external_id;
  const change = (client: Client, id: string, body: object): Promise<Answer> =>
    client.call('PATCH', `/documents/${id}`, { body });
  const share = async (client: Client, id: string, lists: object | null): Promise<Shown> => {
    const answer = await change(client, id, { access_control: lists });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json() as Shown;
  };
  const shareFolder = (client: Client, folder: string, lists: object | null): Promise<Answer> =>
    client.call('PATCH', `/folders/${folder}`, { body: { access_control: lists } });
  const statusOf = async (client: Client, id: string): Promise<number> =>
    (await client.get(`/documents/${id}`)).status;
  /** Whether every door shows the document, or none does. */
  const sees = async (client: Client, id: string, word: string): Promise<boolean> => {
    const listed = (await client.post('/documents', { limit: 1_000 })).text.includes(id);
    const answers = [
      (await statusOf(client, id)) === 200,
      (await client.post('/batch/documents', { document_ids: [id] })).text.includes(id),
      (await client.post('/search/documents', { query: 'boat', limit: 100 })).text.includes(id),
      (await client.post('/retrieve/chunks', { query: word, k: 50 })).text.includes(id),
      (await client.post('/retrieve/docs', { query: word, k: 50 })).text.includes(id),
      (await client.post('/batch/chunks', { sources: [{ document_id: id, chunk_number: 0 }] })).text.includes(
        id,
      ),
    ];
    expect(answers).toEqual(answers.map(() => listed));
    return listed;
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    owner = service.as(await service.newTenant({ parts }));
    [ann, bob, cleo, dan] = await Promise.all([
      keyOf({ end_user_id: 'ann' }),
      keyOf({ end_user_id: 'bob' }),
      keyOf({ end_user_id: 'cleo', scopes: ['admin'] }),
      keyOf({ end_user_id: 'dan' }),
    ]);
    await owner.post('/groups', { id: 'sales', name: 'Sales', members: ['bob'] });
  });
  afterAll(() => service.stop());

  describe('of a document', () => {
    it('let readers read it through every door, and nobody else', async () => {
      const id = await ingest(ann, 'The red boat belongs to Ann.');
      expect(await sees(bob, id, 'red boat')).toBe(false);
      const record = await share(ann, id, { readers: ['bob'] });
      expect(record).toMatchObject({
        owner: { type: 'user', id: 'ann' },
        end_user_id: 'ann',
        access_control: { readers: ['user:bob'], writers: [], admins: [] },
      });
      expect([await sees(bob, id, 'red boat'), await sees(dan, id, 'red boat')]).toEqual([true, false]);
      expect([await sees(ann, id, 'red boat'), await sees(cleo, id, 'red boat')]).toEqual([true, false]);
      await share(ann, id, { readers: ['everyone'] });
      expect(await sees(dan, id, 'red boat')).toBe(true);
      await share(ann, id, null);
      expect([await sees(dan, id, 'red boat'), await sees(ann, id, 'red boat')]).toEqual([false, true]);
    });

    it.each([
      ['readers', 403, 403, 403],
      ['writers', 200, 403, 403],
      ['admins', 200, 200, 200],
    ])('let %s rename (%d), share (%d) and delete it (%d)', async (list, renames, shares, deletes) => {
      const id = await ingest(ann, 'The green boat is for Bob.');
      await share(ann, id, { [list]: ['group:sales'] });
      expect((await change(bob, id, { filename: 'mine.txt' })).status).toBe(renames);
      expect((await change(bob, id, { access_control: { readers: ['user:dan'] } })).status).toBe(shares);
      expect((await change(bob, id, { end_user_id: 'bob' })).status).toBe(403);
      expect((await change(dan, id, { filename: 'mine.txt' })).status).toBe(shares === 200 ? 403 : 404);
      expect((await bob.delete(`/documents/${id}`)).status).toBe(deletes);
      expect(await statusOf(ann, id)).toBe(deletes === 200 ? 404 : 200);
    });

    it('leave its author every right over what everyone may read, and let administrators take it down', async () => {
      const id = await ingest(ann, 'The white boat is for all.');
      await share(ann, id, { readers: ['everyone'] });
      expect((await change(bob, id, { filename: 'mine.txt' })).status).toBe(403);
      expect((await change(cleo, id, { filename: 'all.txt' })).status).toBe(200);
      expect((await change(cleo, id, { end_user_id: 'cleo' })).status).toBe(403);
      expect((await change(ann, id, { filename: 'mine.txt' })).status).toBe(200);
      expect((await share(ann, id, { readers: [] })).access_control).toMatchObject(NO_LISTS);
      expect(await statusOf(bob, id)).toBe(404);
    });

    it('come with it when it is ingested, as JSON or in a form', async () => {
      const lists = { readers: ['group:sales'], admins: ['dan'] };
      const text = await ingest(owner, 'The blue boat is for sales.', { access_control: lists });
      const file = await new Documents(() => owner).ingestFile('boat.txt', Buffer.from('A blue boat too.'), {
        access_control: JSON.stringify(lists),
      });
      for (const id of [text, file.external_id]) {
        expect((await owner.get(`/documents/${id}`)).json()).toMatchObject({
          owner: { type: 'app', id: expect.any(String) as string },
          access_control: { readers: ['group:sales'], writers: [], admins: ['user:dan'] },
        });
        expect([await statusOf(bob, id), await statusOf(dan, id), await statusOf(ann, id)]).toEqual([
          200, 200, 404,
        ]);
      }
    });

    it.each([
      [{ readers: 'bob' }, ['readers']],
      [{ readers: [7] }, ['readers', 0]],
      [{ readers: ['user:'] }, ['readers', 0]],
      [{ writers: ['group:a', 'group:'] }, ['writers', 1]],
      [{ admins: ['x'.repeat(257)] }, ['admins', 0]],
      [{ readers: ['a\u0000b'] }, ['readers', 0]],
      [{ owners: [] }, ['owners']],
    ])('name what is wrong: %j', async (lists, loc) => {
      const id = await ingest(ann, 'The wrong boat.');
      for (const answer of [
        await change(ann, id, { access_control: lists }),
        await ann.post('/ingest/text', { content: 'A boat.', access_control: lists }),
        await ann.post('/folders', { name: 'wrong', access_control: lists }),
      ]) {
        const { detail } = answer.json() as { detail: { loc: unknown[] }[] };
        expect([answer.status, detail.map((item) => item.loc)]).toEqual([
          422,
          [['body', 'access_control', ...loc]],
        ]);
      }
      expect(await statusOf(bob, id)).toBe(404);
    });
  });

  describe('of a folder', () => {
    let made = 0;
    const newFolder = async (client: Client, lists: object | null): Promise<string> => {
      const name = `listed-${(made += 1)}`;
      const answer = await client.post('/folders', { name, access_control: lists });
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
      return name;
    };

    it('count for documents and subfolders below it that have none of their own', async () => {
      const folder = await newFolder(owner, { readers: ['group:sales'] });
      const below = await ingest(owner, 'The deep boat.', { folder_name: `/${folder}/a/b` });
      const open = await ingest(owner, 'The open boat.', {
        folder_name: `/${folder}`,
        access_control: { readers: ['everyone'] },
      });
      expect([await sees(bob, below, 'deep boat'), await sees(ann, below, 'deep boat')]).toEqual([
        true,
        false,
      ]);
      expect(await sees(ann, open, 'open boat')).toBe(true);
      expect((await owner.get(`/documents/${below}`)).json()).toMatchObject({
        access_control: { readers: ['group:sales'], writers: [], admins: [] },
      });
      const answer = await shareFolder(owner, folder, { readers: ['ann'] });
      expect(answer.json()).toMatchObject({
        access_control: { readers: ['user:ann'] },
        changed_documents: 1,
      });
      expect([await statusOf(bob, below), await statusOf(ann, below)]).toEqual([404, 200]);
      await shareFolder(owner, folder, null);
      expect([await statusOf(dan, below), await statusOf(dan, open)]).toEqual([200, 200]);
    });

    it('hide its name, and that of its subfolders, from those who may not read it', async () => {
      const folder = await newFolder(owner, { readers: ['group:sales'] });
      await owner.post('/folders', { name: `${folder}/inner` });
      for (const [client, expected] of [
        [bob, 200],
        [ann, 404],
        [cleo, 404],
        [owner, 200],
      ] as const) {
        for (const name of [folder, `${folder}/inner`]) {
          expect((await client.get(`/folders/${name}`)).status).toBe(expected);
          expect((await client.get('/folders')).text.includes(`/${name}"`)).toBe(expected === 200);
          expect((await client.get('/folders/summary')).text.includes(`/${name}"`)).toBe(expected === 200);
        }
      }
    });

    it('let writers add to it, and readers not', async () => {
      const folder = await newFolder(owner, { readers: ['dan'], writers: ['group:sales'] });
      const id = await ingest(bob, 'The added boat.', { folder_name: `/${folder}` });
      expect([await statusOf(dan, id), await statusOf(ann, id)]).toEqual([200, 404]);
      const refused = await dan.post('/ingest/text', { content: 'Boat.', folder_name: `/${folder}` });
      expect([refused.status, refused.json()]).toEqual([
        403,
        {
          detail:
            'The folder is shared for reading only: choose another folder, or ask its owner to be made a writer',
        },
      ]);
      expect((await dan.post('/folders', { name: `${folder}/mine` })).status).toBe(403);
      expect((await dan.delete(`/folders/${folder}`)).status).toBe(403);
    });

    it('do not let a stranger add to it by guessing its name: the document stays private', async () => {
      const folder = await newFolder(owner, { readers: ['group:sales'], writers: [] });
      const id = await ingest(ann, 'The smuggled boat.', { folder_name: `/${folder}` });
      expect([await statusOf(ann, id), await statusOf(bob, id)]).toEqual([200, 404]);
      const inner = await ingest(ann, 'The second smuggled boat.', { folder_name: `/${folder}/x` });
      expect([await statusOf(ann, inner), await statusOf(bob, inner)]).toEqual([200, 404]);
    });

    it('leave private what was private before', async () => {
      const folder = await newFolder(owner, null);
      const own = await ingest(ann, 'The private boat.', { folder_name: `/${folder}` });
      const shared = await ingest(owner, 'The common boat.', { folder_name: `/${folder}` });
      const answer = await shareFolder(owner, folder, { readers: ['everyone'] });
      expect(answer.json()).toMatchObject({ changed_documents: 1 });
      expect([await statusOf(bob, own), await statusOf(bob, shared)]).toEqual([404, 200]);
      await shareFolder(owner, folder, { readers: [] });
      expect([await statusOf(ann, own), await statusOf(bob, shared)]).toEqual([200, 404]);
    });

    it('are changed by its maker and its admins alone, and count for no document with lists of its own', async () => {
      const folder = await newFolder(ann, { admins: ['bob'] });
      expect((await shareFolder(bob, folder, { readers: ['dan'] })).status).toBe(200);
      expect((await shareFolder(dan, folder, { readers: [] })).status).toBe(403);
      expect((await shareFolder(cleo, folder, { readers: [] })).status).toBe(404);
      const theirs = await ingest(owner, 'The boat of the house.', { folder_name: `/${folder}` });
      expect((await shareFolder(ann, folder, { readers: ['everyone'] })).status).toBe(200);
      expect(await statusOf(cleo, theirs)).toBe(200);
      await share(owner, theirs, { readers: ['group:sales'] });
      expect((await shareFolder(ann, folder, { readers: [] })).status).toBe(200);
      expect([await statusOf(bob, theirs), await statusOf(cleo, theirs)]).toEqual([200, 404]);
    });

    it('are taken back whatever others have put into it', async () => {
      const folder = await newFolder(ann, { readers: ['group:sales'], writers: ['dan'] });
      const mine = await ingest(ann, 'My boat.', { folder_name: `/${folder}` });
      const added = await ingest(dan, 'A boat of a writer.', { folder_name: `/${folder}` });
      const strange = await ingest(cleo, 'A boat of a stranger.', { folder_name: `/${folder}` });
      expect([await statusOf(bob, mine), await statusOf(bob, added)]).toEqual([200, 200]);
      expect([await statusOf(ann, strange), await statusOf(cleo, mine)]).toEqual([404, 404]);
      const noMore = { readers: [], writers: [], admins: [] };
      expect((await shareFolder(ann, folder, noMore)).status).toBe(200);
      expect([await statusOf(bob, mine), await statusOf(bob, added), await statusOf(dan, mine)]).toEqual([
        404, 404, 404,
      ]);
      expect([await statusOf(dan, added), await statusOf(ann, added)]).toEqual([200, 200]);
      expect((await shareFolder(ann, folder, { readers: ['everyone'] })).status).toBe(200);
      expect([await statusOf(ann, strange), await statusOf(cleo, strange)]).toEqual([404, 200]);
    });

    it('do not reach a document of somebody who only knows the name of the folder', async () => {
      const folder = await newFolder(ann, { readers: ['group:sales'] });
      const strange = await ingest(cleo, 'A boat of a stranger.', { folder_name: `/${folder}` });
      await share(cleo, strange, null);
      expect([await statusOf(ann, strange), await statusOf(bob, strange)]).toEqual([404, 404]);
      const { end_user_id: owner, your_access: right } = (await cleo.get(`/folders/${folder}`)).json() as {
        end_user_id: string;
        your_access: string;
      };
      expect([owner, right]).toEqual(['cleo', 'write']);
      expect((await shareFolder(cleo, folder, { readers: ['everyone'] })).status).toBe(403);
    });

    it('tell what changes when a document moves', async () => {
      const folder = await newFolder(owner, { readers: ['group:sales'] });
      const id = await ingest(owner, 'The moving boat.');
      const path = `/folders/${folder}/documents/${id}`;
      expect((await owner.post(path)).json()).toMatchObject({
        status: 'success',
        access_control: { readers: ['group:sales'], writers: [], admins: [] },
      });
      expect((await owner.post(path)).json()).not.toHaveProperty('access_control');
      expect([await statusOf(bob, id), await statusOf(ann, id)]).toEqual([200, 404]);
      expect((await owner.delete(path)).json()).toMatchObject({ access_control: NO_LISTS });
      expect(await statusOf(ann, id)).toBe(200);
    });

    it('move with it, and change with the folder above', async () => {
      const [from, to] = [
        await newFolder(owner, { readers: ['ann'] }),
        await newFolder(owner, { readers: ['dan'] }),
      ];
      const id = await ingest(owner, 'The boat in a box.', { folder_name: `/${from}/box` });
      expect([await statusOf(ann, id), await statusOf(dan, id)]).toEqual([200, 404]);
      expect((await owner.post(`/folders/${from}/box/move`, { new_path: `/${to}/box` })).status).toBe(200);
      expect([await statusOf(ann, id), await statusOf(dan, id)]).toEqual([404, 200]);
      await owner.post(`/folders/${to}/move`, { new_path: `/${to}-new` });
      expect([await statusOf(ann, id), await statusOf(dan, id)]).toEqual([404, 200]);
    });

    it('are no way to publish what a writer may not share', async () => {
      const [closed, open] = [
        await newFolder(owner, { readers: [], writers: ['bob'] }),
        await newFolder(owner, { writers: ['everyone'] }),
      ];
      const id = await ingest(owner, 'The kept boat.', { folder_name: `/${closed}` });
      expect((await bob.post(`/folders/${open}/documents/${id}`)).status).toBe(403);
      expect((await bob.delete(`/folders/${closed}/documents/${id}`)).status).toBe(403);
      expect((await bob.post(`/folders/${closed}/move`, { new_path: `/${open}/in` })).status).toBe(403);
      await bob.post('/folders', { name: `/${closed}/of-bob` });
      expect((await bob.post(`/folders/${closed}/of-bob/documents/${id}`)).status).toBe(200);
      expect((await shareFolder(bob, `${closed}/of-bob`, { readers: ['everyone'] })).status).toBe(403);
      expect((await shareFolder(bob, `${closed}/of-bob`, { readers: ['bob'] })).status).toBe(403);
      expect(await statusOf(dan, id)).toBe(404);
    });
  });

  describe('of groups', () => {
    it('follow a change of the members', async () => {
      const made = await owner.post('/groups', { id: 'crew' });
      expect(made.json()).toMatchObject({ id: 'crew', name: null, members: [] });
      const id = await ingest(owner, 'The boat of the crew.', {
        access_control: { readers: ['group:crew'] },
      });
      expect(await statusOf(dan, id)).toBe(404);
      const added = await owner.post('/groups/crew/members', { members: ['dan'] });
      expect(added.json()).toMatchObject({ members: ['dan'] });
      await until('the status is 200', async () => (await statusOf(dan, id)) === 200);
      expect((await owner.delete('/groups/crew/members/dan')).status).toBe(200);
      await until('the status is 404', async () => (await statusOf(dan, id)) === 404);
      await owner.post('/groups/crew/members', { members: ['dan', 'ann'] });
      await until('the status is 200', async () => (await statusOf(dan, id)) === 200);
      expect((await owner.delete('/groups/crew')).status).toBe(200);
      await until('the status is 404', async () => (await statusOf(dan, id)) === 404);
      expect(await statusOf(owner, id)).toBe(200);
    });

    it('keep their members and what is shared with them under another name', async () => {
      await owner.post('/groups', { id: 'yard', name: 'Yard', members: ['dan'] });
      const lists = { access_control: { readers: ['group:yard'] } };
      const id = await ingest(owner, 'The boat of the yard.', lists);
      const rename = (client: Client, body: object, group = 'yard'): Promise<Answer> =>
        client.call('PATCH', `/groups/${group}`, { body });
      const renamed = await rename(owner, { name: 'Shipyard' });
      expect([renamed.status, renamed.json()]).toMatchObject([
        200,
        { id: 'yard', name: 'Shipyard', members: ['dan'] },
      ]);
      await until('Dan is in the group', async () => (await statusOf(dan, id)) === 200);
      expect((await dan.get('/directory?ids=group:yard')).json()).toEqual([
        { id: 'group:yard', name: 'Shipyard', detail: null, provided: false },
      ]);
      expect((await rename(owner, { name: null })).json()).toMatchObject({ name: null });
      expect((await rename(owner, {})).status).toBe(422);
      expect((await rename(owner, { name: ' ' })).status).toBe(422);
      expect((await rename(owner, { name: 'x' }, 'none')).status).toBe(404);
      expect((await rename(service.client, { name: 'x' })).status).toBe(404); // another tenant
      expect((await rename(ann, { name: 'x' })).status).toBe(403);
      expect((await owner.delete('/groups/yard')).status).toBe(200);
    });

    it('belong to administrators and to the tenant', async () => {
      for (const answer of [
        await ann.get('/groups'),
        await ann.post('/groups', { id: 'mine', members: ['ann'] }),
      ]) {
        expect(answer.status).toBe(403);
      }
      expect((await owner.post('/groups', { id: 'sales' })).status).toBe(409);
      expect((await service.client.get('/groups')).json()).toEqual([]);
      expect((await service.client.get('/groups/sales')).status).toBe(404);
      for (const answer of [
        await owner.delete('/groups/none'),
        await owner.post('/groups/none/members', { members: ['ann'] }),
        await owner.delete('/groups/sales/members/nobody'),
      ]) {
        expect(answer.status).toBe(404);
      }
      expect((await owner.get('/groups')).json()).toMatchObject([{ id: 'sales', members: ['bob'] }]);
    });
  });
});
