import { readFileSync } from 'node:fs';
import { findOrphans } from '../long/crash/invariants.js';
import type { Answer } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { Folders } from '../support/folders.js';
import { Service } from '../support/service.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const LIKE_AN_ID = '00000000-0000-4000-8000-000000000001';

describe('folders', () => {
  let service: Service;
  let documents: Documents;
  let folders: Folders;
  beforeAll(async () => {
    service = await Service.start();
    documents = new Documents(() => service.client);
    folders = new Folders(() => service.client);
  });
  afterAll(() => service.stop());

  const told = ({ status, text }: Answer): [number, unknown] => [status, JSON.parse(text)];
  const idsIn = async (folder: string, depth = 0): Promise<string[]> => {
    const query = new URLSearchParams({ folder_name: folder, folder_depth: String(depth) });
    const answer = await service.client.post(`/documents?${query.toString()}`, { fields: ['external_id'] });
    const list = answer.json() as { documents: { external_id: string }[] };
    return list.documents.map(({ external_id: id }) => id).sort();
  };

  describe('are created', () => {
    it('with missing ancestors; existing folders are returned unchanged', async () => {
      const made = await folders.create('/made/deep/er', { description: 'Depths' });
      const parent = await folders.get('made/deep');
      expect(made).toEqual({
        id: expect.any(String) as string,
        name: 'er',
        full_path: '/made/deep/er',
        access_source: 'none',
        your_access: 'manage',
        parent_id: parent.id,
        depth: 3,
        child_count: 0,
        description: 'Depths',
        document_ids: [],
        system_metadata: {
          created_at: expect.any(String) as string,
          updated_at: expect.any(String) as string,
        },
        app_id: 'default',
        end_user_id: null,
      });
      expect(parent).toMatchObject({ name: 'deep', depth: 2, child_count: 1, description: null });
      expect(await folders.get('made')).toMatchObject({ parent_id: null, depth: 1, child_count: 1 });
      expect(await folders.create('/made/deep/er', { description: 'Other' })).toEqual(made);
      expect(await folders.create('/made/deep', { description: 'Deep' })).toMatchObject({
        id: parent.id,
        description: 'Deep',
      });
    });

    it('by name, below a parent, and with additional fields of clients', async () => {
      const create = async (body: object) => told(await service.client.post('/folders', body));
      const nulls = { full_path: null, parent_id: null, description: null };
      const [, top] = await create({ name: ' plain ', ...nulls, unknown: 1 });
      expect(top).toMatchObject({ name: 'plain', full_path: '/plain' });
      const { id } = top as { id: string };
      expect(await create({ name: 'a', parent_id: id })).toMatchObject([200, { full_path: '/plain/a' }]);
      expect(await create({ name: 'b', parent_id: 'plain/a' })).toMatchObject([
        200,
        { full_path: '/plain/a/b' },
      ]);
      expect(await create({ name: 'c', full_path: 'plain//c/', parent_id: id })).toMatchObject([
        200,
        { full_path: '/plain/c', parent_id: id },
      ]);
      expect(await create({ name: 'd', parent_id: UNKNOWN })).toEqual([
        404,
        { detail: 'Parent folder not found' },
      ]);
      expect(await create({ name: 'd', full_path: '/other/d', parent_id: id })).toEqual([
        422,
        {
          detail: [
            {
              loc: ['body', 'parent_id'],
              msg: 'Value error, parent_id is not the parent of full_path',
              type: 'value_error',
            },
          ],
        },
      ]);
      const long = 'x'.repeat(1_020);
      expect(await create({ name: long, parent_id: id })).toMatchObject([
        422,
        { detail: [{ loc: ['body', 'name'] }] },
      ]);
    });

    it.each([
      [{}, ['name']],
      [{ name: '/' }, ['name']],
      [{ name: ' ' }, ['name']],
      [{ name: 7 }, ['name']],
      [{ name: 'a\u0000' }, ['name']],
      [{ name: 'a', full_path: '/a/../b' }, ['full_path']],
      [{ name: 'a', full_path: '/b/c' }, ['name']],
      [{ name: 'a', full_path: '/b/ca' }, ['name']],
      [{ name: 'a', parent_id: '/../x' }, ['parent_id']],
      [{ name: 'a', description: 7 }, ['description']],
    ])('but not with %j', async (body, loc) => {
      const before = await folders.paths();
      expect(told(await service.client.post('/folders', body))).toMatchObject([
        422,
        { detail: [{ loc: ['body', ...loc] }] },
      ]);
      expect(await folders.paths()).toEqual(before);
    });
  });

  it.each([
    [{ name: 'engines', full_path: {} }, ['body', 'full_path']],
    [{ name: 7, full_path: '/manuals/engines' }, ['body', 'name']],
    [{ name: 'engines', full_path: '/manuals/pumps' }, ['body', 'name']],
  ])('are not created with %j', async (body, loc) => {
    const answer = await service.client.post('/folders', body);
    expect([answer.status, answer.json()]).toMatchObject([422, { detail: [{ loc }] }]);
  });

  it('are found by id and by path in every URL encoding', async () => {
    const folder = await folders.create("/wri tten/100%/ü'move");
    const path = folder.full_path;
    const segments = path.slice(1).split('/').map(encodeURIComponent).join('/');
    for (const name of [
      folder.id,
      folder.id.toUpperCase(),
      segments,
      `/${segments}`,
      `${segments}/`,
      encodeURIComponent(path),
      encodeURIComponent(path.slice(1)),
    ]) {
      expect(await folders.get(name)).toEqual({ ...folder, may_rename: true, may_delete: true });
    }
    // A path that looks like an id, and names that are also routes.
    for (const name of [LIKE_AN_ID, 'summary', 'details', 'move', 'x/documents', 'x/documents/y']) {
      const { id } = await folders.create(`/${name}`);
      expect((await folders.get(`%2F${name.replaceAll('/', '%2F')}`)).id).toBe(id);
    }
    const summary = await folders.move('summary', '/x/moved summary');
    expect((await folders.get('x/moved%20summary')).id).toBe(summary.id);
    expect((await folders.move('x%2Fdocuments%2Fy', '/x/y')).full_path).toBe('/x/y');
    const bad = told(await service.client.get('/folders/a%2F..%2Fb'));
    expect(bad).toMatchObject([422, { detail: [{ loc: ['path', 'folder'] }] }]);
    expect((await service.client.post('/folders/x/y')).status).toBe(405);
    expect((await service.client.post('/folders/summary')).status).toBe(405);
  });

  describe('move', () => {
    it('with subfolders and documents, keeping their ids', async () => {
      const top = await folders.create('/from/here', { description: 'Kept' });
      const below = await folders.create('/from/here/below');
      await folders.create('/from/here2');
      const query = 'What do mooring lines do?';
      const inTop = await documents.ingestText('Mooring lines creak.', { folder_name: '/from/here' });
      const deep = await documents.ingestText('Mooring lines hold.', { folder_name: '/from/here/below' });
      const beside = await documents.ingestText('Mooring lines rot.', { folder_name: '/from/here2' });
      const moved = await folders.move('from/here', ' to//there/now/ ');
      expect(moved).toMatchObject({
        id: top.id,
        name: 'now',
        full_path: '/to/there/now',
        depth: 3,
        child_count: 1,
        description: 'Kept',
        document_ids: [inTop.external_id],
      });
      expect(await folders.get(below.id)).toMatchObject({
        full_path: '/to/there/now/below',
        parent_id: top.id,
      });
      expect((await service.client.get('/folders/from/here')).status).toBe(404);
      expect(await folders.get('from')).toMatchObject({ child_count: 1 });
      expect(await documents.get(deep.external_id)).toMatchObject({
        folder_path: '/to/there/now/below',
        folder_id: below.id,
        metadata: { folder_name: '/to/there/now/below' },
      });
      expect((await documents.get(beside.external_id)).folder_path).toBe('/from/here2');
      expect(await idsIn('/to', -1)).toEqual([inTop.external_id, deep.external_id].sort());
      expect(await idsIn('/to', 2)).toEqual([inTop.external_id]);
      expect(await idsIn('/from', -1)).toEqual([beside.external_id]);
      const found = await documents.retrieve({ query, folder_name: '/to', folder_depth: -1 });
      expect(found.map(({ document_id: id }) => id).sort()).toEqual(
        [inTop.external_id, deep.external_id].sort(),
      );
      // Rename, move up, and move to the same path again.
      expect((await folders.move(top.id, '/to/there/then')).name).toBe('then');
      expect((await folders.move(top.id, '/then')).full_path).toBe('/then');
      expect((await folders.move(top.id, '/then')).full_path).toBe('/then');
      expect((await documents.get(deep.external_id)).folder_path).toBe('/then/below');
    });

    it('not onto an existing folder, into themselves, or beyond the maximum path length', async () => {
      await folders.create('/stay/put/below');
      await folders.create('/stay/other');
      const before = await folders.list();
      const move = async (newPath: unknown, folder = 'stay/put') =>
        told(await service.client.post(`/folders/${folder}/move`, { new_path: newPath }));
      const taken = [409, { detail: 'A folder exists at the new path' }];
      for (const path of ['/stay/other', '/stay']) expect(await move(path)).toEqual(taken);
      for (const path of [
        '/stay/put/below',
        '/stay/put/in/me',
        `/${'x'.repeat(1_020)}`,
        '/',
        '..',
        '',
        null,
        7,
      ]) {
        expect(await move(path)).toMatchObject([422, { detail: [{ loc: ['body', 'new_path'] }] }]);
      }
      expect(await move('/stay/new', 'nowhere')).toEqual([404, { detail: 'Folder not found' }]);
      expect(await folders.list()).toEqual(before);
    });
  });

  it('keep their summaries when they are moved', async () => {
    const { client } = service;
    await client.post('/folders', { name: 'summed', full_path: '/told/summed' });
    const none = await client.get('/folders/told/summed/summary');
    expect([none.status, none.json()]).toEqual([404, { detail: 'The folder has no summary' }]);
    const written = await client.put('/folders/told/summed/summary', { content: 'What lies in it.' });
    expect([written.status, written.json()]).toMatchObject([
      200,
      { content: 'What lies in it.', version: 1 },
    ]);
    await client.post('/folders/told/summed/move', { new_path: '/retold' });
    expect((await client.get('/folders/retold/summary')).json()).toEqual(written.json());
    const again = await client.put('/folders/retold/summary', { content: 'x', versioning: false });
    expect(again.status).toBe(409);
    const unknown = await client.put('/folders/told/summed/summary', { content: 'x' });
    expect([unknown.status, unknown.json()]).toEqual([404, { detail: 'Folder not found' }]);
    expect((await client.delete('/folders/retold')).status).toBe(200);
    expect((await client.get('/folders/retold/summary')).status).toBe(404);
  });

  describe('are deleted', () => {
    it('with their documents, and with subfolders only if recursive, without leftovers', async () => {
      await folders.create('/gone/with/all');
      const text = await documents.ingestText('Bilge pumps gurgle.', { folder_name: '/gone/with' });
      const pages = await documents.ingestFile(
        'report.pdf',
        readFileSync('test/fixtures/documents/report.pdf'),
        { folder_name: '/gone/with/all', use_colpali: 'true' },
      );
      expect(pages.system_metadata).toMatchObject({ status: 'completed' });
      const other = await documents.ingestText('Bilge pumps rest.', { folder_name: '/gone without' });
      const remove = async (path: string) => told(await service.client.delete(`/folders/${path}`));
      const refused = { detail: expect.stringMatching(/^The folder has subfolders/) as string };
      expect(await remove('gone/with')).toEqual([409, refused]);
      expect(await remove('gone/with?recursive=False')).toEqual([409, refused]);
      expect(await remove('gone/with?recursive=perhaps')).toMatchObject([
        422,
        { detail: [{ loc: ['query', 'recursive'], type: 'bool_type' }] },
      ]);
      expect((await documents.get(text.external_id)).folder_path).toBe('/gone/with');
      expect(await remove('gone/with?recursive=True')).toEqual([
        200,
        { status: 'success', message: 'Folder /gone/with deleted' },
      ]);
      for (const { external_id: id } of [text, pages]) {
        expect((await service.client.get(`/documents/${id}`)).status).toBe(404);
      }
      expect((await folders.paths()).filter((path) => path.startsWith('/gone'))).toEqual([
        '/gone',
        '/gone without',
      ]);
      expect(await documents.retrieve({ query: 'Bilge pumps gurgle', folder_name: '/gone/with' })).toEqual(
        [],
      );
      expect(await remove('gone/with')).toEqual([404, { detail: 'Folder not found' }]);
      expect((await documents.get(other.external_id)).folder_path).toBe('/gone without');
      expect((await remove('gone%20without'))[0]).toBe(200);
      expect((await service.client.get(`/documents/${other.external_id}`)).status).toBe(404);
    });

    it('while a document in them is still processing', async () => {
      const form = new FormData();
      form.append('file', new Blob([readFileSync('test/fixtures/documents/report.pdf')]), 'report.pdf');
      form.append('folder_name', '/unfinished');
      const { external_id: id } = (await service.client.post('/ingest/file', form)).json() as {
        external_id: string;
      };
      expect((await service.client.delete('/folders/unfinished')).status).toBe(200);
      expect((await service.client.get(`/documents/${id}`)).status).toBe(404);
    });
  });

  it('of another tenant return the same bytes as unknown ones, and paths are per tenant', async () => {
    const issued = await service.client.post('/keys', { name: 'other', scopes: ['write'], app_id: 'other' });
    const readIssued = await service.client.post('/keys', { name: 'r', scopes: ['read'], app_id: 'other' });
    const stranger = service.as((issued.json() as { key: string }).key);
    const reader = service.as((readIssued.json() as { key: string }).key);
    const mine = await folders.create('/private/part');
    const document = await documents.ingestText('A secret.', { folder_name: '/private/part' });
    const theirs = (
      await stranger.post('/folders', { name: 'their', full_path: '/private/their' })
    ).json() as {
      id: string;
    };
    const calls: readonly [string, (id: string) => string][] = [
      ['GET', (id) => `/folders/${id}`],
      ['POST', (id) => `/folders/${id}/move`],
      ['POST', (id) => `/folders/${id}/documents/${document.external_id}`],
      ['POST', (id) => `/folders/${theirs.id}/documents/${id}`],
      ['DELETE', (id) => `/folders/${id}/documents/${document.external_id}`],
      ['DELETE', (id) => `/folders/${id}`],
      ['DELETE', (id) => `/folders/${id}?recursive=true`],
    ];
    for (const [method, path] of calls) {
      const client = method === 'GET' ? reader : stranger;
      const options = path('').endsWith('move') ? { body: { new_path: '/mine' } } : {};
      const foreign = await client.call(method, path(mine.id), options);
      const unknown = await client.call(method, path(UNKNOWN), options);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    }
    const parent = { name: 'x', parent_id: mine.id };
    expect((await stranger.post('/folders', parent)).text).toBe(
      (await stranger.post('/folders', { ...parent, parent_id: UNKNOWN })).text,
    );
    const own = (await reader.get('/folders')).json() as { full_path: string }[];
    expect(own.map(({ full_path: path }) => path)).toEqual(['/private', '/private/their']);
    expect((await reader.post('/folders/details', { identifiers: [mine.id] })).json()).toEqual({
      folders: [],
    });
    expect((await reader.post('/folders', { name: 'a' })).status).toBe(403);
    expect((await reader.delete('/folders/private')).status).toBe(403);
    expect((await stranger.get('/folders')).status).toBe(403);
    // Both tenants have the same path, and each moves its own folder.
    await stranger.post('/folders', { name: 'part', full_path: '/private/part' });
    expect((await stranger.post('/folders/private/part/move', { new_path: '/away' })).status).toBe(200);
    expect((await folders.get('private/part')).id).toBe(mine.id);
  });

  it('leave no rows and no stored objects behind', async () => {
    const failed = await service.client.post('/documents', { fields: ['external_id'], limit: 1_000 });
    for (const { external_id: id } of (failed.json() as { documents: { external_id: string }[] }).documents) {
      const { system_metadata: state } = await documents.settled(id);
      // The dead letter of a failed document is no orphan, but findOrphans reports it: deleting the document
      // removes it.
      if (state.status === 'failed') await service.client.delete(`/documents/${id}`);
    }
    await service.terminate();
    expect(await findOrphans(service.environment)).toEqual([]);
  });
});
