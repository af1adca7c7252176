import { fc } from '../../support/properties.js';
import { typeMetadata } from '../../../src/metadata/typed-metadata.js';
import { parseJson, printJson } from '../../../src/json/exact-json.js';
import { documents as anyDocument, filters as anyFilter } from '../../filters/arbitraries.js';
import { mingoMatches, type StoredDocument } from '../../filters/mingo-oracle.js';
import type { Answer, Client } from '../../support/client.js';
import { Documents, type Chunk, type DocumentRecord } from '../../support/documents.js';
import { Service } from '../../support/service.js';

const DOCUMENTS = 60;
const FILTERS = Number(process.env['SELECTION_FILTERS'] ?? 60);
const FOLDERS = [null, '/a', '/a/b', '/c'];
const END_USERS = [null, 'ann'];

/** Selections of a request, with the folders of the documents that they include. */
const SCOPES: readonly { body: object; folders: readonly (string | null)[]; endUsers: readonly unknown[] }[] =
  [
    { body: {}, folders: FOLDERS, endUsers: END_USERS },
    { body: {}, folders: FOLDERS, endUsers: END_USERS },
    { body: { folder_name: '/a' }, folders: ['/a'], endUsers: END_USERS },
    { body: { folder_name: '/a', folder_depth: -1 }, folders: ['/a', '/a/b'], endUsers: END_USERS },
    { body: { end_user_id: 'ann' }, folders: FOLDERS, endUsers: ['ann'] },
  ];

interface Completion {
  readonly sources: readonly { readonly document_id: string }[];
  readonly metadata: { readonly dropped_chunks: number; readonly plan?: object };
}

interface Stored extends StoredDocument {
  readonly folder: string | null;
  readonly endUser: string | null;
}

describe('a selection of documents', () => {
  let service: Service;
  let stored: readonly Stored[];
  beforeAll(async () => {
    service = await Service.start();
    stored = await storeDocuments(service.client);
  });
  afterAll(() => service.stop());

  it.each(tellingFilters().map((filter, index) => [index, filter] as const))(
    'is the same in every route, with filter %i',
    async (index, filter) => {
      const scope = SCOPES[index % SCOPES.length] ?? SCOPES[0]!;
      const expected = stored
        .filter(({ folder, endUser }) => scope.folders.includes(folder) && scope.endUsers.includes(endUser))
        .filter((document) => mingoMatches(document, filter))
        .map(({ externalId }) => externalId)
        .sort();

      const ofRetrieval = { query: 'river', k: 1000, filters: filter, ...scope.body };
      const flat = (await post('/retrieve/chunks', ofRetrieval)).json() as Chunk[];
      const { chunks, groups } = (await post('/retrieve/chunks/grouped', ofRetrieval)).json() as {
        chunks: Chunk[];
        groups: { main_chunk: Chunk }[];
      };
      const { sources, metadata } = (await post('/query', ofRetrieval)).json() as Completion;
      const searched = (
        await post('/search/documents', { query: 'named', limit: 100, filters: filter, ...scope.body })
      ).json() as DocumentRecord[];
      const listed = (
        await post(`/documents?${new URLSearchParams(Object.entries(scope.body)).toString()}`, {
          document_filters: filter,
          limit: 1000,
        })
      ).json() as { documents: DocumentRecord[] };

      const ids = (found: readonly { readonly document_id: string }[]) =>
        found.map(({ document_id }) => document_id).sort();
      const recordIds = (found: readonly DocumentRecord[]) =>
        found.map(({ external_id }) => external_id).sort();
      expect(metadata.dropped_chunks).toBe(0);
      expect({
        filter: printJson(filter),
        retrieved: ids(flat),
        grouped: ids(chunks),
        groups: ids(groups.map(({ main_chunk }) => main_chunk)),
        sources: ids(sources),
        listed: recordIds(listed.documents),
        searched: recordIds(searched),
      }).toEqual({
        filter: printJson(filter),
        retrieved: expected,
        grouped: expected,
        groups: expected,
        sources: expected,
        listed: expected,
        searched: expected,
      });
    },
  );

  it('restricts the search by name', async () => {
    const search = async (body: object) => {
      const answer = await service.client.post('/search/documents', body);
      const { detail } = answer.json() as { detail?: { loc: unknown; type: string }[] };
      return [answer.status, ...(detail ?? []).map(({ loc, type }) => [loc, type])];
    };
    expect(await search({ query: 'named', limit: 1 })).toEqual([200]);
    expect(await search({ query: 'named', limit: null, filters: null, folder_name: null })).toEqual([200]);
    expect(await search({})).toEqual([422, [['body', 'query'], 'missing']]);
    expect(await search({ query: null })).toEqual([422, [['body', 'query'], 'string_type']]);
    expect(await search({ query: ' ' })).toEqual([422, [['body', 'query'], 'value_error']]);
    expect(await search({ query: 'a\0' })).toEqual([422, [['body', 'query'], 'value_error']]);
    expect(await search({ query: 'a', limit: 0 })).toEqual([422, [['body', 'limit'], 'greater_than_equal']]);
    expect(await search({ query: 'a', limit: 101 })).toEqual([422, [['body', 'limit'], 'less_than_equal']]);
    expect(await search({ query: 'a', filters: { a: { $in: 1 } } })).toEqual([
      422,
      [['body', 'filters', 'a', '$in'], 'list_type'],
    ]);
    expect(await search({ query: 'a', folder_name: '/../b', folder_depth: -2 })).toEqual([
      422,
      [['body', 'folder_name'], 'value_error'],
      [['body', 'folder_depth'], 'greater_than_equal'],
    ]);
  });

  it('returns documents by id within folders and an end user, in request order', async () => {
    const ids = stored.map(({ externalId }) => externalId).reverse();
    const unknown = '00000000-0000-4000-8000-000000000000';
    const batch = async (body: object): Promise<string[]> => {
      const answer = await service.client.post('/batch/documents', body);
      return (answer.json() as DocumentRecord[]).map(({ external_id }) => external_id);
    };
    const [first = '', ...rest] = ids;
    const named = [first.toUpperCase(), unknown, 'no id', ...rest, first];
    expect(await batch({ document_ids: named })).toEqual(ids);
    const inFolder = stored.filter(({ folder, endUser }) => folder === '/a' && endUser === 'ann');
    expect((await batch({ document_ids: ids, folder_name: '/a', end_user_id: 'ann' })).sort()).toEqual(
      inFolder.map(({ externalId }) => externalId).sort(),
    );
    expect(await batch({ document_ids: [] })).toEqual([]);
  });

  it('finds nothing of another tenant by name or ids', async () => {
    const issued = await service.client.post('/keys', { name: 'other', scopes: ['read'], app_id: 'other' });
    const other = service.as((issued.json() as { key: string }).key);
    expect((await other.post('/search/documents', { query: 'named', limit: 100 })).json()).toEqual([]);
    const ids = stored.map(({ externalId }) => externalId);
    expect((await other.post('/batch/documents', { document_ids: ids })).json()).toEqual([]);
    const sources = ids.map((id) => ({ document_id: id, chunk_number: 0 }));
    expect((await other.post('/batch/chunks', { sources })).json()).toEqual([]);
    const own = (await service.client.post('/batch/chunks', { sources })).json() as Chunk[];
    expect(own.map(({ document_id }) => document_id)).toEqual(ids);
  });

  describe('explained', () => {
    const body = { query: 'river', k: 3, filters: { filename: { $regex: '^named' } } };
    const PLAN = { path: 'exact', matchingChunks: DOCUMENTS, candidates: DOCUMENTS };
    const IN_HEADER = `plan;desc="exact, ${DOCUMENTS} matching"`;

    const ask = (path: string, client: Client, more: object = {}, header = 'true') =>
      client.post(path, { ...body, ...more }, { headers: { 'x-explain': header } });

    it('to an administrator on request', async () => {
      const flat = await ask('/retrieve/chunks', service.client);
      expect(flat.headers.get('server-timing')).toContain(IN_HEADER);
      for (const path of ['/retrieve/chunks/grouped', '/query']) {
        const answer = await ask(path, service.client);
        expect((answer.json() as Completion).metadata.plan).toEqual(PLAN);
        expect(answer.headers.get('server-timing')).toMatch(/\bembed;dur=.*\bdb;dur=.*\btotal;dur=/);
        expect(answer.headers.get('server-timing')).toContain(IN_HEADER);
      }
    });

    it('at the end of a stream', async () => {
      const answer = await ask('/query', service.client, { stream_response: true });
      expect(answer.headers.get('server-timing')).toContain(IN_HEADER);
      const done = answer.text.split('\n').findLast((line) => line.startsWith('data: ')) ?? '';
      expect(JSON.parse(done.slice('data: '.length))).toMatchObject({
        type: 'done',
        metadata: { plan: PLAN },
      });
    });

    it('to no other key', async () => {
      const issued = await service.client.post('/keys', { name: 'reader', scopes: ['read', 'query'] });
      const reader = service.as((issued.json() as { key: string }).key);
      for (const path of ['/retrieve/chunks', '/retrieve/chunks/grouped', '/query']) {
        const unasked = [await ask(path, reader), await ask(path, service.client, {}, 'false')];
        for (const answer of unasked) {
          expect(answer.status).toBe(200);
          expect(answer.headers.get('server-timing')).not.toContain('plan');
          expect(answer.text).not.toContain('matchingChunks');
        }
      }
    });
  });

  async function post(path: string, body: object): Promise<Answer> {
    const answer = await service.client.post(path, printJson(body));
    expect([answer.status, answer.text.slice(0, 500)]).toEqual([200, expect.anything()]);
    return answer;
  }
});

/** Generates a document whose name contains the word "named". */
function generatedDocuments() {
  return fc.sample(anyDocument, DOCUMENTS).map(({ filename, metadata, typed }, index) => ({
    filename: `named ${filename ?? index}`,
    metadata: { ...metadata, ...Object.fromEntries(typed.map(([key, , value]) => [key, value])) },
    metadata_types: Object.fromEntries(typed.map(([key, type]) => [key, type])),
    folder_name: FOLDERS[index % FOLDERS.length] ?? null,
    end_user_id: END_USERS[(index >> 2) % END_USERS.length] ?? null,
  }));
}

/** Returns random filters that each match some documents, but not all. */
function tellingFilters(): readonly Record<string, unknown>[] {
  const documents = generatedDocuments().map(({ filename, metadata, metadata_types: declared }) => {
    const typed = typeMetadata({ metadata, declared, loc: ['metadata'], typesLoc: ['types'] });
    return { ...typed, filename, externalId: '' };
  });
  const random = fc.sample(anyFilter, 20 * FILTERS);
  const telling = random.filter((filter) => {
    const matching = documents.filter((document) => mingoMatches(document, filter)).length;
    return matching > 0 && matching < DOCUMENTS;
  });
  return telling.slice(0, FILTERS);
}

async function storeDocuments(client: Client): Promise<readonly Stored[]> {
  const placed: { id: string; folder: string | null; endUser: string | null }[] = [];
  for (const [index, document] of generatedDocuments().entries()) {
    const content = `The ${index}th river.`;
    const answer = await client.post('/ingest/text', printJson({ content, ...document }));
    if (answer.status !== 200) throw new Error(answer.text);
    const id = (answer.json() as DocumentRecord).external_id;
    placed.push({ id, folder: document.folder_name, endUser: document.end_user_id });
  }
  const documents = new Documents(() => client);
  const records: Stored[] = [];
  for (const { id, folder, endUser } of placed) {
    await documents.settled(id);
    records.push({ ...(await recordOf(client, id)), folder, endUser });
  }
  return records;
}

/** Returns the stored document, with every digit of its numbers. */
async function recordOf(client: Client, id: string): Promise<StoredDocument> {
  const record = parseJson((await client.get(`/documents/${id}`)).text) as {
    filename: string | null;
    metadata: Record<string, unknown>;
    metadata_types: Record<string, string>;
  };
  const { external_id: _id, folder_name: _folder, ...metadata } = record.metadata;
  return { externalId: id, filename: record.filename, metadata, metadataTypes: record.metadata_types };
}
