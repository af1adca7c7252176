import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

type Person = 'ann' | 'bob' | 'reader' | 'chief' | 'application';
type Rights = 'both' | 'rename' | 'none' | 'unknown';

const NAMES = ['ann', 'bob', 'reader', 'chief', 'application'] as const;

describe.each([1, 3])('what a folder says that the key may do with it (%d shards)', (parts) => {
  let service: SharedService;
  const clients = {} as Record<Person, Client>;

  const make = async (by: Person, path: string, access_control?: object): Promise<void> => {
    const lists = access_control === undefined ? {} : { access_control };
    const made = await clients[by].post('/folders', { name: path, full_path: path, ...lists });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  };
  const add = async (by: Person, folder: string): Promise<void> => {
    await new Documents(() => clients[by]).ingestText('A note.', { folder_name: folder });
  };
  const move = (by: Client, path: string): Promise<Answer> =>
    by.post(`/folders${path}/move`, { new_path: `/moved/${randomUUID()}` });
  const remove = (by: Client, path: string): Promise<Answer> => by.delete(`/folders${path}?recursive=true`);

  beforeAll(async () => {
    service = await SharedService.enter();
    const owner = service.as(await service.newTenant({ parts }));
    const scopes: Record<Person, readonly string[]> = {
      ann: ['read', 'write'],
      bob: ['read', 'write'],
      reader: ['read'],
      chief: ['admin'],
      application: ['read', 'write'],
    };
    for (const name of NAMES) {
      const person = name === 'application' ? {} : { end_user_id: name };
      const answer = await owner.post('/keys', { name, scopes: scopes[name], ...person });
      expect(answer.status).toBe(200);
      clients[name] = service.as((answer.json() as { key: string }).key);
    }
  });
  afterAll(() => service.stop());

  const situations: readonly (readonly [string, (path: string) => Promise<void>, Record<Person, Rights>])[] =
    [
      [
        'of the tenant, empty',
        (path) => make('application', path),
        { ann: 'both', bob: 'both', reader: 'none', chief: 'both', application: 'both' },
      ],
      [
        'of the tenant, with a document of a person',
        async (path) => {
          await make('application', path);
          await add('ann', path);
        },
        { ann: 'both', bob: 'unknown', reader: 'unknown', chief: 'unknown', application: 'both' },
      ],
      [
        'of the tenant, with documents of the tenant and of a person in a subfolder',
        async (path) => {
          await add('application', path);
          await add('ann', `${path}/below`);
        },
        { ann: 'none', bob: 'none', reader: 'none', chief: 'none', application: 'both' },
      ],
      [
        'of a person who lets another one write, with documents of both',
        async (path) => {
          await make('ann', path, { writers: ['bob'] });
          await add('ann', path);
          await add('bob', path);
        },
        { ann: 'both', bob: 'none', reader: 'unknown', chief: 'unknown', application: 'both' },
      ],
      [
        'of a person who lets another one manage, with a document that only others write',
        async (path) => {
          await make('ann', path, { admins: ['bob'] });
          const { external_id: id } = await new Documents(() => clients.ann).ingestText('A note.', {
            folder_name: path,
          });
          const lists = { access_control: { readers: ['everyone'], writers: ['bob'] } };
          expect((await clients.ann.call('PATCH', `/documents/${id}`, { body: lists })).status).toBe(200);
        },
        { ann: 'both', bob: 'rename', reader: 'none', chief: 'none', application: 'both' },
      ],
    ];

  describe.each(situations)('%s', (_, prepare, expected) => {
    it.each(NAMES)('is what happens then, for %s', async (name) => {
      const client = clients[name];
      for (const [right, act] of [
        ['may_rename', move],
        ['may_delete', remove],
      ] as const) {
        const path = `/${randomUUID()}`;
        await prepare(path);
        const told = await client.get(`/folders${path}`);
        if (expected[name] === 'unknown') {
          expect(told.status).toBe(404);
          continue;
        }
        const rights = told.json() as Record<typeof right, boolean>;
        const wanted = { both: true, rename: right === 'may_rename', none: false }[expected[name]];
        expect([right, rights[right]]).toEqual([right, wanted]);
        expect([right, (await act(client, path)).status]).toEqual([right, wanted ? 200 : 403]);
      }
    });
  });
});
