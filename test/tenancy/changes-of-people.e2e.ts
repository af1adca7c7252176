import { randomUUID } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { connectDatabase } from '../../src/database/open-database.js';
import type { Answer, Client } from '../support/client.js';
import { describedRoutes } from '../support/described-routes.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { settingsWith } from '../support/settings.js';
import { until } from '../support/until.js';
import { OF_WEBHOOKS } from './access-table/operations.js';

/** A document in its folder. */
interface Place {
  readonly document: string;
  /** Without a leading slash. */
  readonly folder: string;
}

type Change = (client: Client, place: Place) => Promise<Answer>;

const SHARED = 'The document is shared: only an admin key or a key without an end user may change it';
const HOLDS_OTHERS = 'The folder has documents that this key may not change';

/** Every route that changes a document, by method and path of the OpenAPI document. */
const OF_DOCUMENTS: Readonly<Record<string, Change>> = {
  'PATCH /documents/{document_id}': (client, { document }) =>
    client.call('PATCH', `/documents/${document}`, { body: { filename: 'changed.txt' } }),
  'PUT /documents/{document_id}/summary': (client, { document }) =>
    client.put(`/documents/${document}/summary`, { content: 'Changed.' }),
  'POST /documents/{document_id}/update_text': (client, { document }) =>
    client.post(`/documents/${document}/update_text`, { content: 'Changed.' }),
  'POST /documents/{document_id}/update_file': (client, { document }) =>
    client.post(`/documents/${document}/update_file`, fileForm()),
  'POST /documents/{document_id}/update_metadata': (client, { document }) =>
    client.post(`/documents/${document}/update_metadata`, { changed: true }),
  'POST /ingest/requeue': (client, { document }) =>
    client.post('/ingest/requeue', { jobs: [{ external_id: document }] }),
  'POST /folders/{folder}/documents/{document_id}': (client, { document }) =>
    client.post(`/folders/target/documents/${document}`),
  'DELETE /folders/{folder}/documents/{document_id}': (client, { document, folder }) =>
    client.delete(`/folders/${folder}/documents/${document}`),
  'DELETE /documents/{document_id}': (client, { document }) => client.delete(`/documents/${document}`),
  'POST /documents/delete': (client, { document }) =>
    client.post('/documents/delete', { document_ids: [document] }),
};

/** Every route that changes the documents of a folder. */
const OF_FOLDERS: Readonly<Record<string, (client: Client, folder: string) => Promise<Answer>>> = {
  'PUT /folders/{folder}/summary': (client, folder) =>
    client.put(`/folders/${folder}/summary`, { content: 'Changed.' }),
  'PATCH /folders/{folder}': (client, folder) =>
    client.call('PATCH', `/folders/${folder}`, { body: { access_control: { readers: ['bob'] } } }),
  'POST /folders/{folder}/move': (client, folder) =>
    client.post(`/folders/${folder}/move`, { new_path: `/moved/${folder}` }),
  'DELETE /folders/{folder}': (client, folder) => client.delete(`/folders/${folder}?recursive=true`),
};

/** Every route of vector stores that changes documents. */
const OF_STORES: Readonly<Record<string, (client: Client, store: string, file: string) => Promise<Answer>>> =
  {
    'POST /v1/vector_stores/{vector_store_id}': (client, store) =>
      client.post(`/v1/vector_stores/${store}`, { expires_after: { anchor: 'last_active_at', days: 1 } }),
    'POST /v1/vector_stores/{vector_store_id}/files': (client, store, file) =>
      client.post(`/v1/vector_stores/${store}/files`, { file_id: file, attributes: { changed: true } }),
    'POST /v1/vector_stores/{vector_store_id}/files/{file_id}': (client, store, file) =>
      client.post(`/v1/vector_stores/${store}/files/${file}`, { attributes: { changed: true } }),
    'DELETE /v1/vector_stores/{vector_store_id}/files/{file_id}': (client, store, file) =>
      client.delete(`/v1/vector_stores/${store}/files/${file}`),
    'DELETE /v1/files/{file_id}': (client, _store, file) => client.delete(`/v1/files/${file}`),
    'DELETE /v1/vector_stores/{vector_store_id}': (client, store) =>
      client.delete(`/v1/vector_stores/${store}`),
  };

/** Other routes for keys with `write`, with what they do instead. */
const OTHER_ROUTES: Readonly<Record<string, string>> = {
  'POST /ingest/text': 'makes a document',
  'POST /ingest/file': 'makes a document',
  'POST /ingest/files': 'makes documents',
  'POST /ingest/demo': 'makes documents',
  'POST /folders': 'makes a folder',
  'POST /v1/files': 'makes a file',
  'POST /v1/vector_stores': 'makes a store',
  'POST /v1/vector_stores/{vector_store_id}/file_batches': 'attaches in the background, see below',
  'POST /v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel': 'see below',
  'POST /keys/{id}/token': 'makes a token, which reaches no route with `write`',
  'GET /usage/quotas': 'changes nothing',
  'GET /devices': 'changes nothing',
  'POST /devices/link': 'makes a link to another device of the person',
  'DELETE /devices/{device_id}': 'signs a device of the person out',
  'POST /mcp': 'has one tool for `write`, which makes a document',
  ...Object.fromEntries(
    OF_WEBHOOKS.map((route) => [route, 'of the webhooks of the key or its person: webhooks.e2e.ts']),
  ),
};

/** The UUID in an id of the OpenAI protocol. */
function uuidOf(id: string): string {
  return id.replace(/^[a-z]+[-_]/, '').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function fileForm(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['Changed.']), 'changed.txt');
  return form;
}

/** Status and sentence of an answer; those of the one document for routes that report each document. */
function told(answer: Answer): [number, unknown] {
  const json = answer.json() as { detail?: unknown; results?: [{ status: string; message: string }] };
  const [one] = json.results ?? [];
  if (one === undefined) return [answer.status, answer.status < 400 ? '' : json.detail];
  const status = { success: 200, requeued: 200, forbidden: 403, not_found: 404 }[one.status] ?? 500;
  return [status, status === 200 ? '' : one.message];
}

describe('what a person changes', () => {
  let service: Service;
  let ann: Client;
  let bob: Client;
  let made = 0;

  const makeKey = async (person: string | null, scopes: readonly string[]): Promise<string> => {
    const answer = await service.client.post('/keys', { name: 'k', scopes, end_user_id: person });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return (answer.json() as { key: string }).key;
  };
  const keyOf = async (person: string | null, scopes: readonly string[]): Promise<Client> =>
    service.as(await makeKey(person, scopes));
  const placeOf = async (client: Client, folder = `folder-${(made += 1)}`): Promise<Place> => {
    const { external_id: document } = await new Documents(() => client).ingestText(
      'The lamp is lit at dusk.',
      {
        folder_name: `/${folder}`,
        filename: 'lamp.txt',
      },
    );
    return { document, folder };
  };
  /** Everything about a document that a change would alter. */
  const stateOf = async ({ document }: Place): Promise<unknown[]> => [
    (await service.client.get(`/documents/${document}`)).json(),
    await new Documents(() => service.client).text(document),
    (await service.client.get(`/documents/${document}/summary`)).status,
    (await service.client.get('/folders')).json(),
  ];

  beforeAll(async () => {
    service = await Service.start();
    ann = await keyOf('ann', ['read', 'query', 'write']);
    bob = await keyOf('bob', ['read', 'query', 'write']);
    await service.client.post('/folders', { name: '/target' });
  });
  afterAll(() => service.stop());

  it('has a row below for every route with the permission `write`', () => {
    const routes = describedRoutes()
      .filter(({ scopes }) => scopes?.includes('write'))
      .map(({ method, path }) => `${method} ${path}`);
    const known = [OF_DOCUMENTS, OF_FOLDERS, OF_STORES, OTHER_ROUTES].flatMap((rows) => Object.keys(rows));
    expect([...new Set(known)].sort()).toEqual(routes.sort());
  });

  describe.each(Object.entries(OF_DOCUMENTS))('%s', (_route, change) => {
    it('changes their own document, no shared one, and none of another person', async () => {
      const [own, shared, other] = [await placeOf(ann), await placeOf(service.client), await placeOf(bob)];
      const before = [await stateOf(shared), await stateOf(other)];
      expect(told(await change(ann, shared))).toEqual([403, SHARED]);
      expect(told(await change(ann, other))[0]).toBe(404);
      expect([await stateOf(shared), await stateOf(other)]).toEqual(before);
      expect(told(await change(ann, own))).toEqual([200, '']);
    });

    it('changes a shared document for an administrator who is a person, and for a key without one', async () => {
      const administrator = await keyOf('cleo', ['admin']);
      const application = await keyOf(null, ['read', 'write']);
      for (const client of [administrator, application]) {
        const shared = await placeOf(service.client);
        expect(told(await change(client, shared))).toEqual([200, '']);
      }
      expect(told(await change(administrator, await placeOf(bob)))[0]).toBe(404);
    });
  });

  describe.each(Object.entries(OF_FOLDERS))('%s', (route, change) => {
    it('changes a folder that has only their own documents, at any depth', async () => {
      const { folder } = await placeOf(ann);
      await placeOf(ann, `${folder}/below`);
      expect(told(await change(ann, folder))).toEqual([200, '']);
    });

    const others: [string, () => Client][] = [['a shared document', () => service.client]];
    // Whoever shares a folder takes that back whatever other people have added (access.e2e.ts).
    if (!route.startsWith('PATCH')) others.push(['a document of another person', () => bob]);
    it.each(others)('is refused whole if the folder has %s', async (_what, owner) => {
      const [own, other] = [await placeOf(ann), await placeOf(owner())];
      await service.client.post(`/folders/${own.folder}/documents/${other.document}`);
      const before = [await stateOf(own), await stateOf(other)];
      expect(told(await change(ann, own.folder))).toEqual([403, HOLDS_OTHERS]);
      expect([await stateOf(own), await stateOf(other)]).toEqual(before);
    });
  });

  it.each(['POST /folders/{folder}/move', 'DELETE /folders/{folder}'])(
    '%s is refused whole if a subfolder has a shared document',
    async (route) => {
      const own = await placeOf(ann);
      const below = await placeOf(service.client, `${own.folder}/below`);
      const before = [await stateOf(own), await stateOf(below)];
      expect(told(await OF_FOLDERS[route]!(ann, own.folder))).toEqual([403, HOLDS_OTHERS]);
      expect([await stateOf(own), await stateOf(below)]).toEqual(before);
    },
  );

  it('is reported for each document of a batch', async () => {
    const [own, shared, other] = [await placeOf(ann), await placeOf(service.client), await placeOf(bob)];
    const ids = [shared, own, other].map(({ document }) => document);
    const answer = await ann.post('/documents/delete', { document_ids: ids });
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        results: [
          { document_id: shared.document, status: 'forbidden', message: SHARED },
          { document_id: own.document, status: 'success', message: `Document ${own.document} deleted` },
          { document_id: other.document, status: 'not_found', message: 'Document not found' },
        ],
      },
    ]);
  });

  it('is all of their own documents when they requeue all', async () => {
    const dora = await keyOf('dora', ['read', 'write']);
    const { document } = await placeOf(dora);
    await placeOf(service.client);
    const answer = await dora.post('/ingest/requeue', { include_all: true, statuses: ['completed'] });
    expect(answer.json()).toMatchObject({ results: [{ external_id: document, status: 'requeued' }] });
    expect((answer.json() as { results: unknown[] }).results).toHaveLength(1);
  });

  describe('in vector stores', () => {
    let openai: OpenAI;
    let store: string;
    let file: string;
    const clientOf = (apiKey: string): OpenAI =>
      new OpenAI({ apiKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
    const ownersIn = async (folder: string): Promise<unknown[]> => {
      const listed = await service.client.post(`/documents?folder_name=/vector_stores/${folder}`, {});
      const { documents } = listed.json() as { documents: { end_user_id: string | null }[] };
      return documents.map(({ end_user_id }) => end_user_id);
    };

    beforeAll(async () => {
      openai = clientOf(service.adminKey);
      store = (await openai.vectorStores.create({ name: 'Shared' })).id;
      const upload = await toFile(Buffer.from('The keeper is relieved at noon.'), 'keeper.txt');
      file = (await openai.vectorStores.files.uploadAndPoll(store, upload)).id;
    });

    it.each(Object.entries(OF_STORES))('is no shared document: %s', async (_route, change) => {
      const state = async (): Promise<unknown[]> => [
        { ...(await openai.vectorStores.retrieve(store)), last_active_at: null },
        await openai.vectorStores.files.retrieve(file, { vector_store_id: store }),
      ];
      const before = await state();
      const answer = await change(ann, store, file);
      const { error } = answer.json() as { error?: { type: string; message: string } };
      expect([answer.status, error?.type]).toEqual([403, 'permission_error']);
      expect(error?.message).toContain('change');
      expect(await state()).toEqual(before);
    });

    it('is no shared document through a batch', async () => {
      const path = `/v1/vector_stores/${store}/file_batches`;
      const begun = await ann.post(path, { file_ids: [file], attributes: { changed: true } });
      const { id } = begun.json() as { id: string };
      const counts = async (): Promise<{ in_progress: number; failed: number }> =>
        ((await ann.get(`${path}/${id}`)).json() as { file_counts: { in_progress: number; failed: number } })
          .file_counts;
      await until('the batch is done', async () => (await counts()).in_progress === 0);
      expect((await counts()).failed).toBe(1);
      const kept = await openai.vectorStores.files.retrieve(file, { vector_store_id: store });
      expect(kept).toMatchObject({ status: 'completed', attributes: {} });
    });

    it('is no batch of an administrator', async () => {
      const { id } = await openai.vectorStores.fileBatches.createAndPoll(store, { file_ids: [file] });
      const answer = await ann.post(`/v1/vector_stores/${store}/file_batches/${id}/cancel`);
      expect([answer.status, answer.text.includes('The file batch is shared')]).toEqual([403, true]);
    });

    it('is their own files, which others do not see, in stores of everybody', async () => {
      const own = clientOf(await makeKey('ann', ['read', 'write']));
      const folder = (await openai.vectorStores.create({ name: 'For all' })).id;
      const upload = await toFile(Buffer.from('Ann has the key of the tower.'), 'tower.txt');
      const { id } = await own.vectorStores.files.uploadAndPoll(folder, upload);
      expect(await ownersIn(folder)).toEqual(['ann']);
      const place = `/v1/vector_stores/${folder}/files`;
      for (const answer of [
        await bob.get(`/v1/files/${id}`),
        await bob.get(`/v1/files/${id}/content`),
        await bob.delete(`/v1/files/${id}`),
        await bob.get(`${place}/${id}`),
        await bob.post(place, { file_id: id }),
        await bob.post(`${place}/${id}`, { attributes: {} }),
        await bob.delete(`${place}/${id}`),
        await bob.post(`/v1/vector_stores/${folder}/file_batches`, { file_ids: [id] }),
      ]) {
        expect(answer.status).toBe(404);
      }
      expect((await bob.get('/v1/files')).text).not.toContain(id);
      expect((await ann.get('/v1/files')).text).toContain(id);
      await own.vectorStores.files.update(id, { vector_store_id: folder, attributes: { floor: 3 } });
      await own.vectorStores.files.delete(id, { vector_store_id: folder });
      expect(await ownersIn(folder)).toEqual([]);
      const batch = await own.vectorStores.fileBatches.createAndPoll(folder, { file_ids: [id] });
      expect(batch.file_counts).toMatchObject({ completed: 1, total: 1 });
      expect(await ownersIn(folder)).toEqual(['ann']);
      const others = await bob.get(`/v1/vector_stores/${folder}/file_batches/${batch.id}`);
      expect(others.status).toBe(404);
      await own.files.delete(id);
      expect(await ownersIn(folder)).toEqual([]);
    });

    it('is a store without documents', async () => {
      const { id } = (await ann.post('/v1/vector_stores', { name: 'Of Ann' })).json() as { id: string };
      expect((await ann.post(`/v1/vector_stores/${id}`, { name: 'Still of Ann' })).status).toBe(200);
      expect((await ann.delete(`/v1/vector_stores/${id}`)).status).toBe(200);
    });

    // Last: the restarted service has another port.
    it('stays theirs in a batch that another process continues', async () => {
      const own = clientOf(await makeKey('ann', ['read', 'write']));
      const folder = (await openai.vectorStores.create({ name: 'Continued' })).id;
      const upload = await toFile(Buffer.from('Ann mends the clock.'), 'clock.txt');
      const { id } = await own.files.create({ file: upload, purpose: 'assistants' });
      await service.terminate();
      const database = await connectDatabase(settingsWith(service.environment));
      const [batchId, folderId, fileId] = [randomUUID(), uuidOf(folder), uuidOf(id)];
      await database.query(
        `insert into file_batches (app_id, batch_id, folder_id, end_user_id) values ('default', $1, $2, 'ann')`,
        [batchId, folderId],
      );
      await database.query(
        `insert into file_batch_entries (app_id, batch_id, file_id, folder_id) values ('default', $1, $2, $3)`,
        [batchId, fileId, folderId],
      );
      await database.destroy();
      await service.restart();
      await until('the folder is shared', async () => (await ownersIn(folder)).length > 0);
      expect(await ownersIn(folder)).toEqual(['ann']);
    });
  });
});
