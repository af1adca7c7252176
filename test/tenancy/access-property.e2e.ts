import fc from 'fast-check';
import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const PEOPLE = ['ann', 'bob', 'cleo'] as const;
const GROUPS = ['red', 'blue'] as const;
const FOLDERS = ['/a', '/a/b', '/c'] as const;
const PRINCIPALS = [...PEOPLE.map((id) => `user:${id}`), ...GROUPS.map((id) => `group:${id}`), 'everyone'];

type Lists = Readonly<Record<'readers' | 'writers' | 'admins', readonly string[]>>;

const principals = fc.subarray(PRINCIPALS, { maxLength: 3 });
const lists: fc.Arbitrary<Lists> = fc.record({
  readers: principals,
  writers: principals,
  admins: principals,
});

/** A change of who reads what. */
const changes = fc.oneof(
  fc.record({ kind: fc.constant('document' as const), at: fc.nat(7), lists: fc.option(lists) }),
  fc.record({
    kind: fc.constant('owner' as const),
    at: fc.nat(7),
    owner: fc.option(fc.constantFrom(...PEOPLE)),
  }),
  fc.record({
    kind: fc.constant('folder' as const),
    folder: fc.constantFrom(...FOLDERS),
    lists: fc.option(lists),
  }),
  fc.record({ kind: fc.constant('move' as const), at: fc.nat(7), folder: fc.constantFrom(...FOLDERS) }),
  fc.record({
    kind: fc.constant('group' as const),
    group: fc.constantFrom(...GROUPS),
    person: fc.constantFrom(...PEOPLE),
    joins: fc.boolean(),
  }),
);
type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

interface Modelled {
  owner: string | null;
  folder: string;
  lists: Lists | null;
}

/** The rule, written down a second time, without SQL. */
class Model {
  readonly documents: Modelled[];
  readonly folders = new Map<string, Lists | null>(FOLDERS.map((path) => [path, null]));
  readonly members = new Map<string, Set<string>>(GROUPS.map((id) => [id, new Set()]));

  constructor() {
    this.documents = Array.from({ length: 8 }, (_, at) => ({
      owner: [null, ...PEOPLE][at % 4] ?? null,
      folder: FOLDERS[at % FOLDERS.length] ?? '/a',
      lists: null,
    }));
  }

  inherited(folder: string): Lists | null {
    const own = this.folders.get(folder) ?? null;
    if (own !== null || !folder.slice(1).includes('/')) return own;
    return this.inherited(folder.slice(0, folder.lastIndexOf('/')));
  }

  apply(change: Change): void {
    const nobody = { readers: [], writers: [], admins: [] };
    if (change.kind === 'group') {
      const group = this.members.get(change.group);
      if (change.joins) group?.add(change.person);
      else group?.delete(change.person);
      return;
    }
    if (change.kind === 'folder') {
      const before = this.documents.map(({ folder }) => this.inherited(folder));
      this.folders.set(change.folder, change.lists);
      for (const [at, document] of this.documents.entries()) {
        const now = this.inherited(document.folder);
        const wasPrivate = document.owner !== null && document.lists === null && before[at] === null;
        if (wasPrivate && now !== null) document.lists = nobody;
      }
      return;
    }
    const document = this.documents[change.at];
    if (document === undefined) return;
    if (change.kind === 'document') document.lists = change.lists;
    if (change.kind === 'move') document.folder = change.folder;
    if (change.kind === 'owner' && change.owner !== document.owner) {
      const above = this.inherited(document.folder);
      const effective = document.lists ?? above;
      if (effective !== null) {
        document.lists =
          change.owner === null
            ? { ...effective, readers: [...effective.readers, 'everyone'] }
            : above === null
              ? null
              : nobody;
      }
      document.owner = change.owner;
    }
  }

  readable(person: string): number[] {
    const groups = [...this.members].filter(([, people]) => people.has(person)).map(([id]) => `group:${id}`);
    const own = [`user:${person}`, ...groups, 'everyone'];
    return this.documents.flatMap(({ owner, folder, lists: given }, at) => {
      const effective = given ?? this.inherited(folder);
      const readers =
        effective === null
          ? [owner === null ? 'everyone' : `user:${owner}`]
          : [`user:${owner ?? ''}`, ...effective.readers, ...effective.writers, ...effective.admins];
      return readers.some((reader) => own.includes(reader)) ? [at] : [];
    });
  }
}

describe('random documents, lists, groups and changes', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await SharedService.enter();
  });
  afterAll(() => service.stop());

  it('show each person what a tenant shows that holds only what the person may read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 4, maxLength: 12 }), async (steps) => {
        const owner = service.as(await service.newTenant());
        for (const id of GROUPS) await owner.post('/groups', { id });
        const model = new Model();
        const ids: string[] = [];
        for (const [at, { owner: person, folder }] of model.documents.entries()) {
          const record = await new Documents(() => owner).ingestText(`Lamp number ${at} is lit at dusk.`, {
            filename: `lamp-${at}.txt`,
            folder_name: folder,
            end_user_id: person,
          });
          ids.push(record.external_id);
        }
        for (const step of steps) {
          model.apply(step);
          await send(owner, ids, step);
        }
        for (const person of PEOPLE) {
          // A new key sees the groups at once.
          const made = await owner.post('/keys', {
            name: 'k',
            scopes: ['read', 'query'],
            end_user_id: person,
          });
          const client = service.as((made.json() as { key: string }).key);
          const expected = model.readable(person);
          const shown = await doorsOf(client, ids);
          for (const [door, found] of Object.entries(shown))
            expect([person, door, found]).toEqual([person, door, expected]);
          const counts = await countsOf(client);
          for (const [door, count] of Object.entries(counts)) {
            expect([person, door, count]).toEqual([person, door, expected.length]);
          }
        }
      }),
      { numRuns: Number(process.env['ACCESS_RUNS'] ?? 6), seed: 20_261_128, endOnFailure: true },
    );
  });
});

async function send(owner: Client, ids: readonly string[], change: Change): Promise<void> {
  const id = 'at' in change ? ids[change.at] : undefined;
  const answer = await (() => {
    switch (change.kind) {
      case 'document':
        return owner.call('PATCH', `/documents/${id}`, { body: { access_control: change.lists } });
      case 'owner':
        return owner.call('PATCH', `/documents/${id}`, { body: { end_user_id: change.owner } });
      case 'folder':
        return owner.call('PATCH', `/folders${change.folder}`, { body: { access_control: change.lists } });
      case 'move':
        return owner.post(`/folders${change.folder}/documents/${id}`);
      case 'group':
        return change.joins
          ? owner.post(`/groups/${change.group}/members`, { members: [change.person] })
          : owner.delete(`/groups/${change.group}/members/${change.person}`);
    }
  })();
  const isAbsentMember = change.kind === 'group' && !change.joins && answer.status === 404;
  if (answer.status !== 200 && !isAbsentMember) throw new Error(`${JSON.stringify(change)}: ${answer.text}`);
}

/** The documents, by number, that each door shows to a caller. */
async function doorsOf(client: Client, ids: readonly string[]): Promise<Record<string, number[]>> {
  const query = { query: 'lamp lit at dusk', k: 50 };
  const texts = {
    'POST /documents': (await client.post('/documents', { limit: 1_000 })).text,
    'POST /batch/documents': (await client.post('/batch/documents', { document_ids: ids })).text,
    'POST /search/documents': (await client.post('/search/documents', { query: 'lamp', limit: 100 })).text,
    'POST /retrieve/chunks': (await client.post('/retrieve/chunks', query)).text,
    'POST /retrieve/docs': (await client.post('/retrieve/docs', query)).text,
    'POST /folders/details': (
      await client.post('/folders/details', { include_documents: true, document_limit: 100 })
    ).text,
    'GET /folders': (await client.get('/folders')).text,
  };
  return Object.fromEntries(
    Object.entries(texts).map(([door, text]) => [
      door,
      ids.flatMap((id, at) => (text.includes(id) ? [at] : [])),
    ]),
  );
}

/** The number of documents that each count gives to a caller. */
async function countsOf(client: Client): Promise<Record<string, number>> {
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const listed = (
    await client.post('/documents', {
      include_total_count: true,
      include_status_counts: true,
      include_folder_counts: true,
    })
  ).json() as {
    total_count: number;
    status_counts: Record<string, number>;
    folder_counts: { count: number }[];
  };
  const folders = (await client.get('/folders/summary')).json() as { doc_count: number }[];
  const stores = (await client.get('/v1/vector_stores?limit=100')).json() as {
    data: { file_counts: { total: number } }[];
  };
  const storage = (await client.get('/usage/app-storage')).json() as { document_count: number };
  return {
    total_count: listed.total_count,
    status_counts: sum(Object.values(listed.status_counts)),
    folder_counts: sum(listed.folder_counts.map(({ count }) => count)),
    'GET /folders/summary': sum(folders.map(({ doc_count: count }) => count)),
    'GET /v1/vector_stores': sum(stores.data.map(({ file_counts: { total } }) => total)),
    'GET /usage/app-storage': storage.document_count,
  };
}
