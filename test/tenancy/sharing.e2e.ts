import type { Answer, Client } from '../support/client.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

type OwnedRecord = DocumentRecord & { readonly end_user_id: string | null };

type DatedRecord = DocumentRecord & { readonly system_metadata: { readonly updated_at: string } };

interface AuditEntry {
  readonly action: string;
  readonly subject: string | null;
  readonly person: string | null;
  readonly outcome: string;
}

describe('sharing a document', () => {
  let service: SharedService;
  let ann: Client;
  let bob: Client;

  const keyOf = async (client: Client, person: string, scopes: readonly string[]): Promise<Client> => {
    const answer = await client.post('/keys', { name: 'k', scopes, end_user_id: person });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return service.as((answer.json() as { key: string }).key);
  };
  const ingest = async (client: Client, text: string): Promise<string> =>
    (await new Documents(() => client).ingestText(text, { filename: 'boat.txt' })).external_id;
  const change = (client: Client, id: string, body: object): Promise<Answer> =>
    client.call('PATCH', `/documents/${id}`, { body });
  const found = async (client: Client, query: string): Promise<string> =>
    (await client.post('/retrieve/chunks', { query, k: 20 })).text;

  beforeAll(async () => {
    service = await SharedService.enter();
    ann = await keyOf(service.client, 'ann', ['read', 'query', 'write']);
    bob = await keyOf(service.client, 'bob', ['read', 'query', 'write']);
  });
  afterAll(() => service.stop());

  it('makes everybody of the tenant find and read it at once', async () => {
    const id = await ingest(ann, 'Ann pays 4,711 crowns for the red boat.');
    expect(await found(bob, 'red boat')).not.toContain('4,711');
    const answer = await change(ann, id, { end_user_id: null });
    const record = answer.json() as OwnedRecord;
    expect([answer.status, record.end_user_id, record.system_metadata.version]).toEqual([200, null, 1]);
    expect(record.system_metadata.update_history).toEqual([]);
    expect(await found(bob, 'red boat')).toContain('4,711');
    expect((await bob.get(`/documents/${id}`)).status).toBe(200);
    expect((await bob.get('/documents/filename/boat.txt')).status).toBe(200);
  });

  it('leaves it to administrators: its person neither changes it nor takes it back', async () => {
    const id = await ingest(ann, 'The green boat is sold.');
    await change(ann, id, { end_user_id: null });
    for (const body of [{ end_user_id: 'ann' }, { end_user_id: null }, { filename: 'mine.txt' }]) {
      expect((await change(ann, id, body)).status).toBe(403);
    }
    expect((await service.client.get(`/documents/${id}`)).json()).toMatchObject({
      end_user_id: null,
      filename: 'boat.txt',
    });
  });

  it('with some is no new version either, and an event all the same', async () => {
    const id = await ingest(ann, 'The yellow boat is old.');
    const before = ((await ann.get(`/documents/${id}`)).json() as DatedRecord).system_metadata;
    for (const lists of [{ readers: ['user:bob'] }, { writers: ['user:bob'] }, null]) {
      const { system_metadata: now } = (
        await change(ann, id, { access_control: lists })
      ).json() as DatedRecord;
      expect([now.version, now.update_history]).toEqual([1, []]);
      expect(Date.parse(now.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    }
  });

  it('renames it in the same request', async () => {
    const id = await ingest(ann, 'The blue boat leaks.');
    const answer = await change(ann, id, { filename: 'leak.txt', end_user_id: null });
    expect(answer.json()).toMatchObject({
      filename: 'leak.txt',
      end_user_id: null,
      system_metadata: {
        version: 2,
        update_history: [{ version: 2, strategy: 'rename', filename: 'leak.txt' }],
      },
    });
    await new Documents(() => service.client).settled(id);
    expect(await found(bob, 'blue boat')).toContain('leak.txt');
  });

  it('tells in the history who made each change, by every way to make one', async () => {
    const id = await ingest(ann, 'The oak boat needs paint.');
    expect((await change(ann, id, { access_control: { writers: ['bob'] } })).status).toBe(200);
    const form = new FormData();
    form.set('file', new Blob(['The oak boat is painted.']), 'oak.txt');
    const changes: readonly (() => Promise<Answer>)[] = [
      () => bob.post(`/documents/${id}/update_text`, { content: 'It is launched.' }),
      () => ann.post(`/documents/${id}/update_metadata`, { dry: true }),
      () => change(bob, id, { filename: 'oak.md' }),
      () => service.client.post(`/documents/${id}/update_text`, { content: 'It sails.' }),
      () => bob.post(`/documents/${id}/update_file`, form),
    ];
    for (const make of changes) {
      const answer = await make();
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      await new Documents(() => service.client).settled(id);
    }
    const { update_history: history } = (await new Documents(() => ann).get(id)).system_metadata;
    expect(history.map(({ end_user_id: person }) => person)).toEqual(['bob', 'ann', 'bob', null, 'bob']);
  });

  it('tells former names to whoever may change it, not to who may only read it', async () => {
    const documents = new Documents(() => ann);
    const { external_id: id } = await documents.ingestFile('who-leaves.txt', Buffer.from('The teak boat.'));
    for (const filename of ['layoffs.txt', 'boats.txt']) {
      expect((await change(ann, id, { filename })).status).toBe(200);
      await documents.settled(id);
    }
    const namesFor = async (client: Client): Promise<unknown[]> => {
      const answer = await client.get(`/documents/${id}`);
      expect(answer.status).toBe(200);
      const { storage_files, system_metadata } = answer.json() as DocumentRecord;
      return [
        ...storage_files.map(({ filename }) => filename),
        ...system_metadata.update_history.map(({ filename }) => filename),
      ];
    };
    const all = ['who-leaves.txt', 'layoffs.txt', 'boats.txt'];
    expect(await namesFor(ann)).toEqual(all);
    expect((await change(ann, id, { access_control: { readers: ['bob'] } })).status).toBe(200);
    expect(await namesFor(bob)).toEqual(['boats.txt', undefined, 'boats.txt']);
    const listed = await bob.post('/documents', { document_filters: { external_id: id } });
    expect(listed.text).not.toMatch(/who-leaves|layoffs/);
    expect((await change(ann, id, { access_control: { writers: ['bob'] } })).status).toBe(200);
    expect(await namesFor(bob)).toEqual(all);
    expect(await namesFor(service.client)).toEqual(all);
  });

  it('is not for a document of another person', async () => {
    const id = await ingest(ann, 'The white boat is in the yard.');
    const answer = await change(bob, id, { end_user_id: null });
    expect([answer.status, answer.json()]).toEqual([404, { detail: 'Document not found' }]);
    expect((await service.client.get(`/documents/${id}`)).json()).toMatchObject({ end_user_id: 'ann' });
  });

  it('is the opposite of giving it to a person, which administrators and keys without a person do', async () => {
    const cleo = await keyOf(service.client, 'cleo', ['admin']);
    for (const client of [service.client, cleo]) {
      const id = await ingest(service.client, 'The black boat is for Bob.');
      const given = await change(client, id, { end_user_id: 'bob' });
      expect([given.status, given.json()]).toMatchObject([
        200,
        { end_user_id: 'bob', system_metadata: { version: 1, update_history: [] } },
      ]);
      expect((await ann.get(`/documents/${id}`)).status).toBe(404);
      expect((await bob.get(`/documents/${id}`)).status).toBe(200);
    }
    const id = await ingest(ann, 'The grey boat stays with Ann.');
    const refused = await change(ann, id, { end_user_id: 'bob' });
    expect([refused.status, refused.json()]).toEqual([
      403,
      { detail: 'body.end_user_id: The API key belongs to another end user' },
    ]);
    const same = await change(ann, id, { end_user_id: 'ann' });
    expect([same.status, same.json()]).toMatchObject([
      200,
      { end_user_id: 'ann', system_metadata: { version: 1, update_history: [] } },
    ]);
  });

  it('is in the audit log, a new name alone is not', async () => {
    const id = await ingest(ann, 'The old boat is burnt.');
    await change(ann, id, { filename: 'ashes.txt' });
    await change(bob, id, { end_user_id: null });
    await change(service.client, id, { end_user_id: 'bob' });
    await change(bob, id, { end_user_id: null });
    const { entries } = (await service.client.get('/audit')).json() as { entries: AuditEntry[] };
    const own = entries.filter(({ subject }) => subject?.startsWith(id));
    expect(own.map(({ action, subject, person, outcome }) => [action, subject, person, outcome])).toEqual([
      ['document.share', `${id} everyone`, 'bob', 'done'],
      ['document.share', `${id} bob person=ann`, null, 'done'],
      ['document.share', `${id} everyone`, 'bob', 'refused'],
    ]);
  });

  it.each([
    [{}, []],
    [{ end_user_id: '' }, ['end_user_id']],
    [{ end_user_id: 7 }, ['end_user_id']],
    [{ end_user_id: 'x'.repeat(257) }, ['end_user_id']],
    [{ filename: null, end_user_id: null }, ['filename']],
  ])('names what is wrong: %j', async (body, loc) => {
    const id = await ingest(ann, 'The last boat.');
    const answer = await change(service.client, id, body);
    const { detail } = answer.json() as { detail: { loc: string[] }[] };
    expect([answer.status, detail.map((item) => item.loc)]).toEqual([422, [['body', ...loc]]]);
    expect((await service.client.get(`/documents/${id}`)).json()).toMatchObject({ end_user_id: 'ann' });
  });

  describe('of which the record', () => {
    const seen = async (client: Client, path: string): Promise<unknown[]> => {
      const answer = await client.get(path);
      const record = answer.json() as { access_source: string; your_access: string };
      return answer.status === 200 ? [record.access_source, record.your_access] : [answer.status];
    };

    it('tells whose lists count and what the key may do', async () => {
      const reads = await keyOf(service.client, 'ann', ['read']);
      const id = await ingest(ann, 'The long boat.');
      const all = () => Promise.all([ann, reads, bob].map((client) => seen(client, `/documents/${id}`)));
      expect(await all()).toEqual([['none', 'manage'], ['none', 'read'], [404]]);
      for (const [lists, right] of [
        [{ readers: ['bob'] }, 'read'],
        [{ readers: [], writers: ['bob'] }, 'write'],
        [{ writers: [], admins: ['bob'] }, 'manage'],
      ] as const) {
        const changed = await change(ann, id, { access_control: lists });
        expect(changed.json()).toMatchObject({ access_source: 'own', your_access: 'manage' });
        expect(await all()).toEqual([
          ['own', 'manage'],
          ['own', 'read'],
          ['own', right],
        ]);
      }
    });

    it('tells it of folders and of what lies in them', async () => {
      const made = await ann.post('/folders', { name: '/quay', access_control: { readers: ['bob'] } });
      expect(made.status).toBe(200);
      const { external_id: id } = await new Documents(() => ann).ingestText('The quay.', {
        folder_name: '/quay/north',
      });
      expect(await seen(ann, '/folders/quay')).toEqual(['own', 'manage']);
      expect(await seen(bob, '/folders/quay')).toEqual(['own', 'read']);
      expect(await seen(bob, '/folders/quay/north')).toEqual(['folder', 'read']);
      expect(await seen(bob, `/documents/${id}`)).toEqual(['folder', 'read']);
      const changed = await ann.call('PATCH', '/folders/quay', {
        body: { access_control: { writers: ['bob'] } },
      });
      expect(changed.json()).toMatchObject({ access_source: 'own', your_access: 'manage' });
      expect(await seen(bob, `/documents/${id}`)).toEqual(['folder', 'write']);
    });

    it('tells of a folder that somebody else has in private only that its lists cannot be changed', async () => {
      await ann.post('/folders', { name: '/pier', access_control: { readers: [] } });
      await bob.post('/folders', { name: '/pier' });
      await bob.post('/folders', { name: '/slip' });
      const told = async (path: string): Promise<unknown[]> => {
        const { end_user_id, access_control } = (await bob.get(path)).json() as Record<string, unknown>;
        return [...(await seen(bob, path)), end_user_id, access_control];
      };
      expect(await told('/folders/slip')).toEqual(['none', 'manage', 'bob', undefined]);
      expect(await told('/folders/pier')).toEqual(['none', 'write', 'bob', undefined]);
    });
  });

  it('does not keep an administrator who is a person from making keys for others', async () => {
    const cleo = await keyOf(service.client, 'cleo', ['admin']);
    const dora = await keyOf(cleo, 'dora', ['read']);
    expect((await dora.get('/folders')).status).toBe(200);
  });
});
