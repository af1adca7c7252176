import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

interface Folder {
  readonly id: string;
  readonly full_path: string;
  readonly description: string | null;
  readonly system_metadata: { readonly created_at: string };
}

/** Attacks that once told a person about the documents, folders and stores of others. */
describe('what others have', () => {
  let service: SharedService;
  let ann: Client;
  let bob: Client;
  let application: Client;
  let made = 0;

  const keyOf = async (more: object): Promise<Client> => {
    const answer = await service.client.post('/keys', {
      name: 'k',
      scopes: ['read', 'query', 'write'],
      ...more,
    });
    return service.as((answer.json() as { key: string }).key);
  };
  const secret = async (client = bob): Promise<{ readonly path: string; readonly document: string }> => {
    const path = `/merger-${(made += 1)}/plan`;
    const { external_id: document } = await new Documents(() => client).ingestText('The merger is in May.', {
      folder_name: path,
      filename: 'merger.txt',
    });
    return { path, document };
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    ann = await keyOf({ end_user_id: 'ann' });
    bob = await keyOf({ end_user_id: 'bob' });
    application = await keyOf({});
  });
  afterAll(() => service.stop());

  describe('in folders', () => {
    it('is not told by making a folder of the same name', async () => {
      const { path } = await secret();
      await bob.post('/folders', { name: path, description: 'Plans of the merger' });
      await bob.put(`/folders${path}/summary`, { content: 'We buy them in May.' });
      const theirs = (await bob.get(`/folders${path}`)).json() as Folder;
      const begun = Date.now();
      const mine = (await ann.post('/folders', { name: path, description: null })).json() as Folder;
      expect(mine).toMatchObject({ full_path: path, description: null, document_ids: [], child_count: 0 });
      expect(Date.parse(mine.system_metadata.created_at)).toBeGreaterThanOrEqual(begun);
      expect(theirs).toMatchObject({ description: 'Plans of the merger' });
      await ann.post('/folders', { name: `${path}/child` });
      await new Documents(() => ann).ingestText('A note.', { folder_name: `${path}/child` });
      for (const answer of [await ann.get(`/folders${path}`), await ann.get('/folders')]) {
        expect([answer.status, answer.text.includes('Plans of the merger')]).toEqual([200, false]);
      }
      expect((await ann.get(`/folders${path}/summary`)).status).toBe(404);
      expect((await ann.put(`/folders${path}/summary`, { content: 'x' })).status).toBe(403);
      expect((await bob.get(`/folders${path}`)).json()).toMatchObject({ description: 'Plans of the merger' });
      expect((await bob.get(`/folders${path}/summary`)).json()).toMatchObject({
        content: 'We buy them in May.',
      });
    });

    it('is not kept from its owner by an empty folder that somebody makes in it', async () => {
      const { path } = await secret();
      await ann.post('/folders', { name: `${path}/child` });
      const moved = await bob.post(`/folders${path}/move`, { new_path: `${path}-moved` });
      expect([moved.status, moved.status === 200 ? '' : moved.text]).toEqual([200, '']);
      expect((await bob.delete(`/folders${path}-moved`)).status).toBe(200);
    });

    it('is unknown as a parent and as a place', async () => {
      const { path } = await secret();
      const { id } = (await bob.get(`/folders${path}`)).json() as Folder;
      const { external_id: own } = await new Documents(() => ann).ingestText('A note of Ann.');
      for (const name of [path, id, '/nowhere']) {
        const child = await ann.post('/folders', { name: 'child', parent_id: name });
        expect([child.status, child.json()]).toEqual([404, { detail: 'Parent folder not found' }]);
        const put = await ann.post(`/folders/${name.replace(/^\//, '')}/documents/${own}`);
        expect([put.status, put.json()]).toEqual([404, { detail: 'Folder not found' }]);
      }
    });
  });

  it('is not named to an invited administrator by the audit log', async () => {
    const ada = await keyOf({ end_user_id: 'ada', scopes: ['admin'] });
    const { path, document } = await secret();
    await bob.get(`/documents/${document}/download_url`);
    await bob.call('PATCH', `/documents/${document}`, { body: { access_control: { readers: ['ann'] } } });
    expect((await bob.delete(`/folders${path}`)).status).toBe(200);
    await ada.post('/folders', { name: 'ada-own' });
    expect((await ada.delete('/folders/ada-own')).status).toBe(200);
    const subjects = async (client: Client): Promise<Record<string, string | null>> => {
      const { entries } = (await client.get('/audit')).json() as {
        entries: { action: string; person: string | null; subject: string | null }[];
      };
      return Object.fromEntries(
        entries.slice(0, 4).map(({ action, person, subject }) => [`${action} by ${person}`, subject]),
      );
    };
    expect(await subjects(service.client)).toEqual({
      'folder.delete by ada': 'ada-own',
      'folder.delete by bob': path.slice(1),
      'document.share by bob': expect.stringContaining(document) as string,
      'document.link by bob': expect.stringContaining(document) as string,
    });
    expect(await subjects(ada)).toEqual({
      'folder.delete by ada': 'ada-own',
      'folder.delete by bob': null,
      'document.share by bob': null,
      'document.link by bob': null,
    });
  });

  describe('in vector stores', () => {
    const idOf = (answer: Answer): string => (answer.json() as { id: string }).id;

    it('is neither listed nor found', async () => {
      const store = idOf(
        await bob.post('/v1/vector_stores', { name: 'Secret store', metadata: { plan: 'merger' } }),
      );
      const { path } = await secret();
      const listed = await ann.get('/v1/vector_stores?limit=100');
      for (const word of ['Secret store', '"plan":', store, path]) expect(listed.text).not.toContain(word);
      expect((await bob.get('/v1/vector_stores?limit=100')).text).toContain('Secret store');
      expect((await application.get('/v1/vector_stores?limit=100')).text).toContain('Secret store');
      const place = `/v1/vector_stores/${store}`;
      for (const answer of [
        await ann.get(place),
        await ann.post(place, { name: 'Mine' }),
        await ann.post(place, { expires_after: { anchor: 'last_active_at', days: 1 } }),
        await ann.delete(place),
        await ann.post(`${place}/search`, { query: 'merger' }),
        await ann.get(`${place}/files`),
        await ann.post(`${place}/file_batches`, { file_ids: ['file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d'] }),
      ]) {
        expect([answer.text, [404, 400, 422].includes(answer.status)]).toEqual([answer.text, true]);
        expect(answer.text).not.toContain('Secret');
      }
      // A cursor of what one may not see is one of what was deleted.
      expect((await ann.get(`/v1/vector_stores?after=${store}`)).text).not.toContain('Secret');
      expect((await bob.get(place)).json()).toMatchObject({ name: 'Secret store', expires_at: null });
    });

    it('is not renamed, expired or deleted with a key that may write', async () => {
      const store = idOf(await service.client.post('/v1/vector_stores', { name: 'Of the house' }));
      const place = `/v1/vector_stores/${store}`;
      expect((await ann.get(place)).json()).toMatchObject({ name: 'Of the house' });
      for (const answer of [
        await ann.post(place, { name: 'Mine' }),
        await ann.post(place, { expires_after: { anchor: 'last_active_at', days: 1 } }),
        await ann.delete(place),
      ]) {
        expect(answer.status).toBe(403);
      }
      expect((await ann.get(place)).json()).toMatchObject({ name: 'Of the house', expires_at: null });
      expect((await application.post(place, { name: 'Ours' })).status).toBe(200);
      expect((await application.delete(place)).status).toBe(200);
    });
  });

  it('is not counted in the storage of the tenant', async () => {
    const storageOf = async (client: Client): Promise<{ document_count: number; total_mb: number }> =>
      (await client.get('/usage/app-storage')).json() as { document_count: number; total_mb: number };
    const before = [await storageOf(ann), await storageOf(application)] as const;
    await new Documents(() => bob).ingestText('The merger is in May. '.repeat(2_000));
    const after = [await storageOf(ann), await storageOf(application)] as const;
    expect(after[0]).toEqual(before[0]);
    expect(after[1].document_count).toBe(before[1].document_count + 1);
    expect(after[1].total_mb).toBeGreaterThan(before[1].total_mb);
  });

  it('is not replayed to somebody who may no longer read it', async () => {
    const { document } = await secret();
    await bob.call('PATCH', `/documents/${document}`, { body: { access_control: { writers: ['ann'] } } });
    const update = (): Promise<Answer> =>
      ann.call('POST', `/documents/${document}/update_text`, {
        body: { content: 'The merger is in June.' },
        headers: { 'idempotency-key': 'once' },
      });
    expect((await update()).status).toBe(200);
    expect((await update()).status).toBe(200);
    await bob.call('PATCH', `/documents/${document}`, { body: { access_control: { writers: [] } } });
    expect((await update()).status).toBe(404);
  });

  describe('through an application that acts for a person', () => {
    it('is what the person, the groups and everyone may read', async () => {
      const { document: ofBob } = await secret();
      const add = async (client: Client, more: object): Promise<string> =>
        (await new Documents(() => client).ingestText('The merger is in May.', more)).external_id;
      const ofAnn = await add(ann, {});
      const ofGroup = await add(application, { access_control: { readers: ['group:crew'] } });
      const ofAll = await add(application, {});
      const seen = async (body: object): Promise<boolean[]> => {
        const { text } = await application.post('/documents', { limit: 1_000, ...body });
        const found = await application.post('/retrieve/chunks', { query: 'merger', k: 100, ...body });
        const ids = [ofBob, ofAnn, ofGroup, ofAll];
        expect(ids.map((id) => found.text.includes(id))).toEqual(ids.map((id) => text.includes(id)));
        return ids.map((id) => text.includes(id));
      };
      expect(await seen({})).toEqual([true, true, true, true]);
      const query = await application.post('/documents?end_user_id=ann&groups=crew', { limit: 1_000 });
      expect([ofBob, ofAnn, ofGroup, ofAll].map((id) => query.text.includes(id))).toEqual([
        false,
        true,
        true,
        true,
      ]);
      const person = await application.post('/documents?end_user_id=ann&groups=none', { limit: 1_000 });
      expect([ofBob, ofAnn, ofGroup, ofAll].map((id) => person.text.includes(id))).toEqual([
        false,
        true,
        false,
        true,
      ]);
      const chunks = await application.post('/retrieve/chunks', {
        query: 'merger',
        k: 100,
        end_user_id: 'ann',
        groups: ['crew'],
      });
      expect([ofBob, ofAnn, ofGroup, ofAll].map((id) => chunks.text.includes(id))).toEqual([
        false,
        true,
        true,
        true,
      ]);
    });

    it('is so wherever a request can name the person and the groups', async () => {
      const only = { readers: ['group:crew'] };
      const text = 'The merger of the crew is in May.';
      const { external_id: ofCrew } = await new Documents(() => application).ingestText(text, {
        access_control: only,
      });
      const named = (groups: readonly string[]) => ({ end_user_id: 'ann', groups });
      const asked = { query: text, k: 100 };
      const given: Readonly<Record<string, object>> = {
        search: asked,
        ask: asked,
        list_documents: { limit: 100 },
        read_document: { document_id: ofCrew },
      };
      const tool = (name: string, groups: readonly string[]): Promise<Answer> =>
        application.post('/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name,
            arguments: { ...given[name], ...named(groups) },
          },
        });
      const doors: ((groups: readonly string[]) => Promise<Answer>)[] = [
        (groups) => application.post('/query', { query: text, k: 100, ...named(groups) }),
        (groups) => tool('search', groups),
        (groups) => tool('list_documents', groups),
        (groups) => tool('ask', groups),
        ...[(groups: readonly string[]) => groups, (groups: readonly string[]) => JSON.stringify(groups)].map(
          (spelt) => (groups: readonly string[]) =>
            application.post('/v1/chat/completions', {
              model: 'lectern',
              messages: [{ role: 'user', content: text }],
              metadata: { ...named(groups), groups: spelt(groups), k: 100 },
            }),
        ),
      ];
      for (const [at, door] of doors.entries()) {
        const [inside, outside] = [await door(['crew']), await door(['none'])];
        expect([at, inside.status, inside.text.includes(ofCrew)]).toEqual([at, 200, true]);
        expect([at, outside.status, outside.text.includes(ofCrew)]).toEqual([at, 200, false]);
      }
      expect((await tool('read_document', ['crew'])).text).toContain(text);
      expect((await tool('read_document', ['none'])).text).toContain('Document not found');
      await application.post('/folders', { name: 'crew-only', access_control: { writers: ['group:crew'] } });
      const form = (groups: readonly string[], field = 'file'): FormData => {
        const fields = new FormData();
        fields.append(field, new Blob(['A file of the crew.']), 'crew.txt');
        fields.append('end_user_id', 'ann');
        fields.append('groups', JSON.stringify(groups));
        return fields;
      };
      const inFolder = (fields: FormData): FormData => {
        fields.append('folder_name', '/crew-only');
        return fields;
      };
      const added = await application.post('/ingest/file', inFolder(form(['crew'])));
      expect([added.status, added.json()]).toMatchObject([200, { owner: { type: 'user', id: 'ann' } }]);
      const several = await application.post('/ingest/files', inFolder(form(['crew'], 'files')));
      expect(several.json()).toMatchObject({ documents: [{ owner: { type: 'user', id: 'ann' } }] });
      const { external_id: id } = added.json() as { external_id: string };
      await new Documents(() => application).settled(id);
      await application.call('PATCH', `/documents/${id}`, {
        body: { end_user_id: 'bob', access_control: { readers: [] } },
      });
      for (const [groups, status] of [
        [['crew'], 404],
        [['crew', 7], 422],
      ] as const) {
        const answer = await application.post(
          `/documents/${id}/update_file`,
          form(groups as readonly string[]),
        );
        expect([groups, answer.status]).toEqual([groups, status]);
      }
      const own = await ann.post('/ingest/file', form(['crew']));
      expect([own.status, own.text.includes('body.groups')]).toEqual([403, true]);
    });

    it('is not what metadata with these names says', async () => {
      const { external_id: id } = await new Documents(() => application).ingestText('A note.');
      const metadata = { groups: ['crew'] };
      const answer = await application.post(`/documents/${id}/update_metadata`, metadata);
      expect([answer.status, answer.json()]).toMatchObject([200, { metadata }]);
      await application.call('PATCH', `/documents/${id}`, { body: { end_user_id: 'bob' } });
      const wrapped = { metadata, groups: ['crew'] };
      expect((await application.post(`/documents/${id}/update_metadata`, wrapped)).status).toBe(404);
    });

    it('refuses groups that a person is not in, and what is no list of groups', async () => {
      const own = await ann.post('/retrieve/chunks', { query: 'merger', groups: ['crew'] });
      expect([own.status, own.text.includes('body.groups')]).toEqual([403, true]);
      for (const groups of ['crew', [7], ['']]) {
        expect((await application.post('/retrieve/chunks', { query: 'merger', groups })).status).toBe(422);
      }
    });
  });
});
