import { findOrphans } from '../long/crash/invariants.js';
import type { Answer } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { Folders } from '../support/folders.js';
import { Service } from '../support/service.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('folders and their documents', () => {
  let service: Service;
  let documents: Documents;
  let folders: Folders;
  beforeAll(async () => {
    // Many requests wait for one row.
    service = await Service.start({ DATABASE_CONNECT_TIMEOUT_MS: '60000' });
    documents = new Documents(() => service.client);
    folders = new Folders(() => service.client);
  });
  afterAll(() => service.stop());

  const put = (folder: string, id: string) => service.client.post(`/folders/${folder}/documents/${id}`);
  const takeOut = (folder: string, id: string) => service.client.delete(`/folders/${folder}/documents/${id}`);
  const told = ({ status, text }: Answer): [number, unknown] => [status, JSON.parse(text)];

  it('add and remove documents consistently in records, listings and retrieval', async () => {
    const [a, b] = [await folders.create('/taken/a'), await folders.create('/taken/b')];
    const { external_id: id } = await documents.ingestText('Sextants stand in the chart room.');
    expect(told(await put('taken/a', id))).toEqual([
      200,
      { status: 'success', message: `Document ${id} added to folder /taken/a` },
    ]);
    expect(await documents.get(id)).toMatchObject({
      folder_name: '/taken/a',
      folder_path: '/taken/a',
      folder_id: a.id,
      metadata: { external_id: id, folder_name: '/taken/a' },
    });
    expect((await folders.get(a.id)).document_ids).toEqual([id]);
    expect((await put(b.id, id.toUpperCase())).status).toBe(200);
    expect((await put(b.id, id)).status).toBe(200);
    expect([(await folders.get(a.id)).document_ids, (await folders.get(b.id)).document_ids]).toEqual([
      [],
      [id],
    ]);
    const query = 'Where do sextants stand?';
    expect(await documents.retrieve({ query, folder_name: '/taken/a' })).toEqual([]);
    const [chunk] = await documents.retrieve({ query, folder_name: '/taken', folder_depth: -1, k: 1 });
    expect(chunk).toMatchObject({ document_id: id, metadata: { folder_name: '/taken/b' } });
    expect(told(await takeOut('taken/a', id))).toEqual([404, { detail: 'Document not found in the folder' }]);
    expect(told(await takeOut('taken/b', id))).toEqual([
      200,
      { status: 'success', message: `Document ${id} removed from folder /taken/b` },
    ]);
    expect((await takeOut('taken/b', id)).status).toBe(404);
    expect(await documents.get(id)).toMatchObject({ folder_name: null, folder_path: null, folder_id: null });
    expect(await documents.retrieve({ query, folder_name: '/taken', folder_depth: -1 })).toEqual([]);
    expect(told(await put('nowhere', id))).toEqual([404, { detail: 'Folder not found' }]);
    for (const unknown of [UNKNOWN, 'no-id']) {
      expect(told(await put('taken/a', unknown))).toEqual([404, { detail: 'Document not found' }]);
    }
  });

  it('are returned with counts and pages of their direct documents', async () => {
    const [shown, empty] = [await folders.create('/shown'), await folders.create('/shown/empty')];
    for (const number of [1, 2, 3]) {
      await documents.ingestText(`Buoy number ${number}.`, {
        folder_name: '/shown',
        filename: `${number}.txt`,
        metadata: { odd: number % 2 === 1 },
      });
    }
    await documents.ingestText(' \n# \n', { folder_name: '/shown' }); // has no text and fails
    const ids = (await folders.get('shown')).document_ids;
    expect(ids).toHaveLength(4);
    const summaries = await folders.summaries();
    expect(summaries.filter(({ full_path: path }) => path.startsWith('/shown'))).toEqual([
      {
        id: shown.id,
        name: 'shown',
        full_path: '/shown',
        parent_id: null,
        depth: 1,
        description: null,
        doc_count: 4,
        updated_at: expect.any(String) as string,
      },
      expect.objectContaining({ id: empty.id, parent_id: shown.id, doc_count: 0 }),
    ]);
    const identifiers = ['shown/empty', UNKNOWN, shown.id, '/shown', '/unknown'];
    const [first, second, ...others] = await folders.details({ identifiers });
    expect(others).toEqual([]);
    const rights = { may_rename: true, may_delete: true }; // only where one folder is asked for
    expect({ ...first, folder: { ...first?.folder, ...rights } }).toEqual({
      folder: await folders.get(empty.id),
      document_info: { total_count: 0, status_counts: null, documents: null },
    });
    expect({ ...second?.folder, ...rights }).toEqual(await folders.get(shown.id));
    expect(second?.document_info?.total_count).toBe(4);
    const [full] = await folders.details({
      identifiers: ['/shown'],
      include_document_count: false,
      include_status_counts: true,
      include_documents: true,
      document_filters: { odd: true },
      document_skip: 1,
      document_limit: 5,
      document_fields: ['filename', 'content'],
      sort_by: 'filename',
      sort_direction: 'asc',
      unknown: 1,
    });
    expect(full?.document_info).toEqual({
      total_count: null,
      status_counts: { completed: 2 },
      documents: [
        {
          external_id: expect.any(String) as string,
          filename: '3.txt',
          system_metadata: { content: 'Buoy number 3.' },
        },
      ],
    });
    const [whole] = await folders.details({ identifiers: ['/shown'], include_documents: true });
    const newest = whole?.document_info?.documents?.[0];
    expect(newest).toEqual(await documents.record(newest?.external_id ?? ''));
    const nothing = { include_document_count: false };
    const all = await folders.details(nothing);
    expect(all.map(({ folder }) => folder)).toEqual(await folders.list());
    expect(new Set(all.map(({ document_info: info }) => info))).toEqual(new Set([null]));
    expect(told(await service.client.post('/folders/details', { identifiers: ['a', '../b'] }))).toMatchObject(
      [422, { detail: [{ loc: ['body', 'identifiers', 1] }] }],
    );
  });

  it('stay consistent under concurrent moves, ingestion, deletion, adding and removing', async () => {
    const seen: number[] = [];
    const ids = new Set<string>();
    const call = async (answer: Promise<Answer>): Promise<Answer> => {
      const done = await answer;
      seen.push(done.status);
      return done;
    };
    const ingest = async (folder: string, number: number) => {
      const answer = await call(
        service.client.post('/ingest/text', { content: `Fender ${number}.`, folder_name: folder }),
      );
      ids.add((answer.json() as { external_id: string }).external_id);
    };
    const move = (from: string, to: string) =>
      call(service.client.post(`/folders/${from}/move`, { new_path: to }));
    for (let round = 0; round < 8; round += 1) {
      const root = `/race/${round}`;
      const at = root.slice(1);
      await folders.create(`${root}/a/b`);
      await folders.create(`${root}/c`);
      const [loose] = [...ids];
      await Promise.all([
        ingest(`${root}/a/b`, round),
        move(`${at}/a`, `${root}/c/a`),
        ingest(`${root}/a/b/new`, round),
        move(`${at}/c`, `${root}/a/c`),
        ingest(`${root}/a`, round),
        move(`${at}/a/b`, `${root}/d/b`),
        call(service.client.delete(`/folders/${at}/a?recursive=true`)),
        ingest(`${root}/a/b`, round),
        ...(loose === undefined
          ? []
          : [call(put(`${at}/a/b`, loose)), call(takeOut(`${at}/a/b`, loose)), call(put(`${at}/c`, loose))]),
        call(service.client.delete(`/folders/${at}/c?recursive=true`)),
        ingest(`${root}/c/a/x`, round),
      ]);
    }
    expect(new Set(seen.filter((status) => ![200, 404, 409, 422].includes(status)))).toEqual(new Set());
    // Every completed document is either whole in an existing folder, or deleted with its folder.
    const all = await folders.list();
    const pathOf = new Map(all.map(({ id, full_path: path }) => [id, path]));
    for (const id of ids) {
      const answer = await service.client.get(`/documents/${id}`);
      if (answer.status === 404) continue;
      const { folder_id: folderId, folder_path: path } = answer.json() as {
        folder_id: string | null;
        folder_path: string | null;
      };
      expect(path).toBe(folderId === null ? null : pathOf.get(folderId));
      await documents.settled(id);
    }
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
