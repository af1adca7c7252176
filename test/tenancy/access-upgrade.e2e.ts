import { readSettings } from '../../src/config/read-settings.js';
import { migrate } from '../../src/database/migrate.js';
import { Access1700000040000 } from '../../src/database/migrations/1700000040000-access.js';
import { connectDatabase } from '../../src/database/open-database.js';
import type { Client } from '../support/client.js';
import { revertMigration } from '../support/database.js';
import { Service } from '../support/service.js';

const APP = 'default';
const CALLERS = ['ann', 'bob', 'shop', 'admin'] as const;
type Caller = (typeof CALLERS)[number];

const uuid = (kind: number, number: number): string =>
  `0199f1c2-a4d8-7e0b-9${kind.toString().padStart(3, '0')}-${number.toString().padStart(12, '0')}`;
const prefixed = (prefix: string, id: string): string => `${prefix}${id.replaceAll('-', '')}`;

const SHOP = uuid(0, 1);
const STORES = '/vector_stores';
const [STORE, OTHER_STORE] = [uuid(1, 8), uuid(1, 9)];
/** Folders, and who read their names. A folder with documents was hidden from a person who read none of them. */
const FOLDERS: readonly (readonly [id: string, path: string, readers: readonly Caller[]])[] = [
  [uuid(1, 1), '/open', CALLERS],
  [uuid(1, 2), '/private', ['ann', 'shop', 'admin']],
  [uuid(1, 3), '/mixed', CALLERS],
  [uuid(1, 4), '/deep', ['bob', 'shop', 'admin']],
  [uuid(1, 5), '/deep/er', ['bob', 'shop', 'admin']],
  [uuid(1, 6), '/empty', CALLERS],
  [uuid(1, 7), STORES, CALLERS],
  [STORE, `${STORES}/${prefixed('vs_', STORE)}`, CALLERS],
  [OTHER_STORE, `${STORES}/${prefixed('vs_', OTHER_STORE)}`, CALLERS],
];
/** Documents with their folder, end user and readers. */
const DOCUMENTS: readonly (readonly [folder: string | null, owner: string | null])[] = [
  [null, null],
  [null, 'ann'],
  [null, 'bob'],
  ['/open', null],
  ['/private', 'ann'],
  ['/mixed', 'bob'],
  ['/mixed', null],
  ['/deep/er', 'bob'],
];
const OWNERS = [null, 'ann', 'bob'];

/** Who read what has this end user: everybody if it has none, otherwise the person and keys without a person. */
const readersOf = (owner: string | null): readonly Caller[] =>
  owner === null ? CALLERS : CALLERS.filter((caller) => caller === owner || !OWNERS.includes(caller));

/** A request that reads a thing, and who got an answer before access lists existed. */
type Read = readonly [path: string, readers: readonly Caller[]];

const READS: readonly Read[] = [
  ...DOCUMENTS.map(([, owner], at): Read => [`/documents/${uuid(2, at)}`, readersOf(owner)]),
  ...FOLDERS.map(([, path, readers]): Read => [`/folders${path}`, readers]),
  ...[STORE, OTHER_STORE].map((id): Read => [`/v1/vector_stores/${prefixed('vs_', id)}`, CALLERS]),
  ...OWNERS.map((owner, at): Read => [`/v1/files/${prefixed('file-', uuid(3, at))}`, readersOf(owner)]),
  ...OWNERS.map((owner, at): Read => {
    const batch = prefixed('vsfb_', uuid(4, at));
    return [`/v1/vector_stores/${prefixed('vs_', STORE)}/file_batches/${batch}`, readersOf(owner)];
  }),
  ['/chat/of-ann', ['ann', 'admin']],
  ['/chat/of-shop', ['shop', 'admin']],
  ['/chat/of-admin', ['admin']],
  [`/v1/conversations/${prefixed('conv_', uuid(6, 0))}`, ['shop', 'admin']],
  [`/v1/conversations/${prefixed('conv_', uuid(6, 1))}`, ['ann']],
  [`/v1/responses/${prefixed('resp_', uuid(7, 0))}`, ['shop', 'admin']],
  [`/v1/responses/${prefixed('resp_', uuid(7, 1))}`, ['ann']],
];

/** Writes a tenant with the schema of the release before access lists. */
async function writeFormerState(environment: Readonly<Record<string, string>>): Promise<void> {
  const database = await connectDatabase(readSettings(environment));
  const insert = (table: string, row: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const names = Object.keys(row);
    const places = names.map((_, at) => `$${at + 1}`);
    return database.query(
      `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
      Object.values(row),
    );
  };
  try {
    await migrate(database);
    await revertMigration(database, Access1700000040000);
    await insert('apps', { app_id: APP, name: APP });
    await insert('api_keys', {
      app_id: APP,
      jti: SHOP,
      name: 'shop',
      permissions: ['read', 'query', 'write'],
      expires_at: new Date('2100-01-01'),
    });
    for (const [id, path] of FOLDERS) await insert('folders', { app_id: APP, folder_id: id, path });
    for (const id of [STORE, OTHER_STORE])
      await insert('vector_stores', { app_id: APP, folder_id: id, name: 'S' });
    for (const [at, [path, owner]] of DOCUMENTS.entries()) {
      await insert('documents', {
        app_id: APP,
        external_id: uuid(2, at),
        status: 'completed',
        content_type: 'text/plain',
        filename: `${at}.txt`,
        folder_path: path,
        folder_id: FOLDERS.find(([, one]) => one === path)?.[0] ?? null,
        end_user_id: owner,
      });
    }
    for (const [at, owner] of OWNERS.entries()) {
      const file = {
        purpose: 'assistants',
        filename: 'a.txt',
        content_type: 'text/plain',
        bucket: 'files',
        bytes: 1,
      };
      await insert('files', {
        app_id: APP,
        file_id: uuid(3, at),
        ...file,
        object_key: `k${at}`,
        end_user_id: owner,
      });
      await insert('file_batches', {
        app_id: APP,
        batch_id: uuid(4, at),
        folder_id: STORE,
        end_user_id: owner,
      });
    }
    for (const [at, owner] of [{ end_user_id: 'ann' }, { key_id: SHOP }, {}].entries()) {
      const chat = { app_id: APP, chat_key: uuid(5, at) };
      const id = ['of-ann', 'of-shop', 'of-admin'][at];
      await insert('chats', { ...chat, chat_id: id, title: 'T', turn_count: 2, search: '{}', ...owner });
      const turn = { role: 'user', content: 'Hello', evidence: null, stopped: false };
      for (const position of [0, 1]) {
        const role = position === 0 ? 'user' : 'assistant';
        await insert('chat_turns', { ...chat, position, ...turn, role });
      }
    }
    for (const [at, owner] of [null, 'ann'].entries()) {
      const talk = { app_id: APP, end_user_id: owner };
      await insert('conversations', { ...talk, conversation_id: uuid(6, at), metadata: '{}' });
      const response = JSON.stringify({ id: prefixed('resp_', uuid(7, at)), object: 'response', output: [] });
      await insert('responses', { ...talk, response_id: uuid(7, at), input: '[]', response, bytes: 2 });
    }
  } finally {
    await database.destroy();
  }
}

describe('an upgrade from the release before access lists', () => {
  let service: Service;
  let clients: Readonly<Record<Caller, Client>>;

  beforeAll(async () => {
    service = await Service.start({}, writeFormerState);
    const admin = service.client;
    const keyOf = async (person: string): Promise<Client> => {
      const body = { name: person, scopes: ['read', 'query'], end_user_id: person };
      return service.as(((await admin.post('/keys', body)).json() as { key: string }).key);
    };
    const link = (await admin.post(`/keys/${SHOP}/sign_in_link`)).json() as { url: string };
    const code = link.url.split('/').at(-1);
    const shop = (await service.as(null).post('/keys/sign_in', { code })).json() as { key: string };
    clients = { ann: await keyOf('ann'), bob: await keyOf('bob'), shop: service.as(shop.key), admin };
  });
  afterAll(() => service.stop());

  it.each(READS)('leaves %s readable for %j, and for nobody else', async (path, readers) => {
    const found: Caller[] = [];
    for (const caller of CALLERS) {
      const { status } = await clients[caller].get(path);
      expect([caller, [200, 404]]).toEqual([caller, expect.arrayContaining([status])]);
      if (status === 200) found.push(caller);
    }
    expect(found).toEqual(readers);
  });

  it('lists to each what it lists to them', async () => {
    for (const caller of CALLERS) {
      const client = clients[caller];
      const readable = READS.filter(([, readers]) => readers.includes(caller)).map(([path]) => path);
      const paths = (prefix: string): string[] => readable.filter((path) => path.startsWith(prefix));
      const listed = (await client.post('/documents', { limit: 100 })).json() as {
        documents: { external_id: string }[];
      };
      expect(listed.documents.map(({ external_id: id }) => `/documents/${id}`).sort()).toEqual(
        paths('/documents'),
      );
      const folders = (await client.get('/folders')).json() as { full_path: string }[];
      expect(folders.map(({ full_path: path }) => `/folders${path}`).sort()).toEqual(
        paths('/folders').sort(),
      );
      const files = (await client.get('/v1/files')).json() as { data: { id: string }[] };
      expect(files.data.map(({ id }) => `/v1/files/${id}`).sort()).toEqual(paths('/v1/files'));
      const chats = (await client.get('/chats')).json() as { chat_id: string }[];
      expect(chats.map(({ chat_id: id }) => `/chat/${id}`).sort()).toEqual(paths('/chat/').sort());
    }
  });
});
