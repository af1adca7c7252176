import type { Answer, Client } from '../support/client.js';
import { describedRoutes } from '../support/described-routes.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

jest.setTimeout(600_000);

/** Who may do what with a document or a folder: the table of docs/guide/colleagues.md. */
const TABLE = {
  owner: { reads: 200, changes: 200, manages: 200 },
  admin: { reads: 200, changes: 200, manages: 200 },
  writer: { reads: 200, changes: 200, manages: 403 },
  reader: { reads: 200, changes: 403, manages: 403 },
  application: { reads: 200, changes: 200, manages: 200 },
  'anybody else': { reads: 404, changes: 404, manages: 404 },
} as const;

type Line = keyof typeof TABLE;
type Right = keyof (typeof TABLE)[Line];

/** Kinds of callers, each with its line of the table. */
const CALLERS = {
  'the owner': 'owner',
  'an admin of it': 'admin',
  'a writer of it': 'writer',
  'a reader of it': 'reader',
  'a member of a group that reads it': 'reader',
  'an application': 'application',
  'a stranger in the tenant': 'anybody else',
  'an invited administrator': 'anybody else',
  'another tenant': 'anybody else',
} as const satisfies Readonly<Record<string, Line>>;

type Caller = keyof typeof CALLERS;

interface Thing {
  readonly document: string;
  /** Without the leading slash. */
  readonly folder: string;
}

type Operation = (client: Client, thing: Thing) => Promise<Answer>;

const form = (): FormData => {
  const fields = new FormData();
  fields.append('file', new Blob(['Changed.']), 'changed.txt');
  return fields;
};

/** Operations on one document or folder, by the right that they need. */
const ON_ONE: Readonly<Record<Right, Readonly<Record<string, Operation>>>> = {
  reads: {
    'GET /documents/{document_id}': (client, { document }) => client.get(`/documents/${document}`),
    'GET /documents/{document_id}/status': (client, { document }) =>
      client.get(`/documents/${document}/status`),
    'GET /documents/{document_id}/download_url': (client, { document }) =>
      client.get(`/documents/${document}/download_url`),
    'GET /documents/{document_id}/file': (client, { document }) => client.get(`/documents/${document}/file`),
    'GET /documents/{document_id}/summary': (client, { document }) =>
      client.get(`/documents/${document}/summary`),
    'GET /documents/filename/{filename}': (client, { folder }) =>
      client.get(`/documents/filename/${folder}.txt`),
    'GET /folders/{folder}': (client, { folder }) => client.get(`/folders/${folder}`),
    'GET /folders/{folder}/summary': (client, { folder }) => client.get(`/folders/${folder}/summary`),
  },
  changes: {
    'PUT /documents/{document_id}/summary': (client, { document }) =>
      client.put(`/documents/${document}/summary`, { content: 'Changed.', versioning: true }),
    'POST /documents/{document_id}/update_text': (client, { document }) =>
      client.post(`/documents/${document}/update_text`, { content: 'Changed.' }),
    'POST /documents/{document_id}/update_file': (client, { document }) =>
      client.post(`/documents/${document}/update_file`, form()),
    'POST /documents/{document_id}/update_metadata': (client, { document }) =>
      client.post(`/documents/${document}/update_metadata`, { changed: true }),
    'PUT /folders/{folder}/summary': (client, { folder }) =>
      client.put(`/folders/${folder}/summary`, { content: 'Changed.', versioning: true }),
  },
  manages: {
    'PATCH /documents/{document_id}': (client, { document }) =>
      client.call('PATCH', `/documents/${document}`, { body: { access_control: { readers: [] } } }),
    'DELETE /documents/{document_id}': (client, { document }) => client.delete(`/documents/${document}`),
    'DELETE /folders/{folder}/documents/{document_id}': (client, { document, folder }) =>
      client.delete(`/folders/${folder}/documents/${document}`),
    'POST /folders/{folder}/documents/{document_id}': (client, { document }) =>
      client.post(`/folders/open/documents/${document}`),
    'PATCH /folders/{folder}': (client, { folder }) =>
      client.call('PATCH', `/folders/${folder}`, { body: { access_control: { readers: [] } } }),
    'POST /folders/{folder}/move': (client, { folder }) =>
      client.post(`/folders/${folder}/move`, { new_path: `/${folder}-moved` }),
    'DELETE /folders/{folder}': (client, { folder }) => client.delete(`/folders/${folder}?recursive=true`),
  },
};

/** Operations that show many documents or folders: those that the caller may read. */
const ON_MANY: Readonly<Record<string, Operation>> = {
  'POST /documents': (client) => client.post('/documents', { limit: 1_000 }),
  'POST /documents/list_docs': (client) => client.post('/documents/list_docs', { limit: 1_000 }),
  'POST /batch/documents': (client, { document }) =>
    client.post('/batch/documents', { document_ids: [document] }),
  'POST /batch/chunks': (client, { document }) =>
    client.post('/batch/chunks', { sources: [{ document_id: document, chunk_number: 0 }] }),
  'POST /search/documents': (client, { folder }) => client.post('/search/documents', { query: folder }),
  'POST /retrieve/chunks': (client) => client.post('/retrieve/chunks', { query: 'lamp', k: 100 }),
  'POST /retrieve/chunks/grouped': (client) =>
    client.post('/retrieve/chunks/grouped', { query: 'lamp', k: 100 }),
  'POST /retrieve/docs': (client) => client.post('/retrieve/docs', { query: 'lamp', k: 100 }),
  'GET /folders': (client) => client.get('/folders'),
  'POST /folders/details': (client, { folder }) =>
    client.post('/folders/details', { identifiers: [folder], include_documents: true }),
  'GET /folders/summary': (client) => client.get('/folders/summary'),
  'GET /v1/vector_stores': (client) => client.get('/v1/vector_stores?limit=100'),
};

/** Every other operation, with why the table does not decide it or where it is proved. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [
    /^\w+ \/(ping|health|metrics|audit|logs|apps|cloud|local|settings|models|groups|keys)\b/,
    'of the service',
  ],
  [/^GET \/(feedback|usage\/keys)/, 'of administrators'],
  [/^\w+ \/v1\/(models|embeddings)/, 'of the service'],
  [/\/(chats?|conversations|responses)\b/, 'of talk: people.e2e.ts'],
  [/^POST \/(query|v1\/chat\/completions|mcp)$|^GET \/suggestions$/, 'by search: access.e2e.ts'],
  [/^POST \/ingest\//, 'makes documents'],
  [/^POST \/folders$/, 'makes a folder: access-findings.e2e.ts'],
  [/^GET \/files$/, 'by a signed link'],
  [/pages/, 'of documents with pages, by the same predicate: page-search.spec.ts'],
  [/^POST \/documents\/delete$/, 'one after the other as DELETE /documents/{document_id}'],
  [/^\w+ \/v1\/(files|vector_stores)/, 'of stores and files: access-findings.e2e.ts'],
  [/^GET \/usage\/app-storage$/, 'counts: access-findings.e2e.ts'],
];

describe('who may do what', () => {
  let service: SharedService;
  let clients: Readonly<Record<Caller, Client>>;
  let made = 0;

  const keyOf = async (more: object): Promise<Client> => {
    const answer = await service.client.post('/keys', {
      name: 'k',
      scopes: ['read', 'query', 'write'],
      ...more,
    });
    return service.as((answer.json() as { key: string }).key);
  };
  /** A document of the owner in a folder of the owner, both with the same lists. */
  const newThing = async (): Promise<Thing> => {
    const folder = `thing-${(made += 1)}`;
    const owner = clients['the owner'];
    const lists = { readers: ['rita', 'group:gang'], writers: ['will'], admins: ['adam'] };
    await owner.post('/folders', { name: folder, access_control: lists });
    const { external_id: document } = await new Documents(() => owner).ingestText(
      'The lamp is lit at dusk.',
      {
        filename: `${folder}.txt`,
        folder_name: `/${folder}`,
      },
    );
    await owner.put(`/documents/${document}/summary`, { content: 'A lamp.' });
    await owner.put(`/folders/${folder}/summary`, { content: 'Lamps.' });
    return { document, folder };
  };

  beforeAll(async () => {
    service = await SharedService.enter();
    await service.client.post('/groups', { id: 'gang', members: ['gus'] });
    await service.client.post('/folders', { name: 'open' });
    const application = await keyOf({});
    clients = {
      'the owner': await keyOf({ end_user_id: 'olga' }),
      'an admin of it': await keyOf({ end_user_id: 'adam' }),
      'a writer of it': await keyOf({ end_user_id: 'will' }),
      'a reader of it': await keyOf({ end_user_id: 'rita' }),
      'a member of a group that reads it': await keyOf({ end_user_id: 'gus' }),
      'an application': application,
      'a stranger in the tenant': await keyOf({ end_user_id: 'sam' }),
      'an invited administrator': await keyOf({ end_user_id: 'ada', scopes: ['admin'] }),
      'another tenant': service.as(await service.newTenant()),
    };
  });
  afterAll(() => service.stop());

  it('has a line for every operation', () => {
    const lines = [...Object.values(ON_ONE).flatMap((rows) => Object.keys(rows)), ...Object.keys(ON_MANY)];
    const missing = describedRoutes()
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !lines.includes(route) && !ELSEWHERE.some(([pattern]) => pattern.test(route)));
    expect(missing).toEqual([]);
    const known = new Set(describedRoutes().map(({ method, path }) => `${method} ${path}`));
    expect(lines.filter((line) => !known.has(line))).toEqual([]);
  });

  const callers = Object.entries(CALLERS) as [Caller, Line][];
  const rights = Object.entries(ON_ONE) as [Right, Readonly<Record<string, Operation>>][];
  describe.each(
    rights.flatMap(([right, rows]) =>
      Object.entries(rows).map(([route, act]) => [route, right, act] as const),
    ),
  )('%s %s', (_route, right, act) => {
    it('by every kind of caller as in the table', async () => {
      const kept = await newThing();
      const statuses: Record<string, number> = {};
      for (const [caller, line] of callers) {
        const expected = TABLE[line][right];
        const thing = right === 'reads' || expected !== 200 ? kept : await newThing();
        statuses[caller] = (await act(clients[caller], thing)).status;
      }
      expect(statuses).toEqual(
        Object.fromEntries(callers.map(([caller, line]) => [caller, TABLE[line][right]])),
      );
      expect((await service.as(null).get(`/documents/${kept.document}`)).status).toBe(401);
    });
  });

  it.each(Object.entries(ON_MANY))('%s shows what the caller may read', async (_route, act) => {
    const thing = await newThing();
    const shown: Record<string, boolean> = {};
    for (const [caller] of callers) {
      const { status, text } = await act(clients[caller], thing);
      expect([caller, status]).toEqual([caller, 200]);
      shown[caller] = text.includes(thing.document) || text.includes(`/${thing.folder}"`);
    }
    expect(shown).toEqual(
      Object.fromEntries(callers.map(([caller, line]) => [caller, TABLE[line].reads === 200])),
    );
  });
});
