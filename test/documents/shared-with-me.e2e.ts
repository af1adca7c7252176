import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

describe('documents that are shared with a person', () => {
  let service: SharedService;
  let ann: Client;
  let bob: Client;

  const keyOf = async (person: string, scopes = ['read', 'query', 'write']): Promise<Client> => {
    const answer = await service.client.post('/keys', { name: person, scopes, end_user_id: person });
    return service.as((answer.json() as { key: string }).key);
  };
  const shared = async (client: Client, more: object = {}): Promise<string[]> => {
    const answer = await client.post('/documents', {
      shared_with_me: true,
      fields: ['filename'],
      include_total_count: true,
      sort_by: 'filename',
      sort_direction: 'asc',
      ...more,
    });
    const { documents, total_count: total } = answer.json() as {
      documents: { filename: string }[];
      total_count: number;
    };
    expect([answer.status, total]).toEqual([200, documents.length]);
    return documents.map(({ filename }) => filename);
  };
  const add = (client: Client, filename: string, more: object = {}) =>
    new Documents(() => client).ingestText(`The text of ${filename}.`, { filename, ...more });

  beforeAll(async () => {
    service = await SharedService.enter();
    await service.client.post('/groups', { id: 'sales', members: ['bob'] });
    [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
    await add(ann, 'private.txt');
    await add(ann, 'everyone.txt', { access_control: { readers: ['everyone', 'user:bob'] } });
    await add(ann, 'for-bob.txt', { access_control: { writers: ['user:bob'] } });
    await add(ann, 'for-sales.txt', { access_control: { readers: ['group:sales'] } });
    await add(service.client, 'for-all.txt');
    await add(service.client, 'of-the-tenant.txt', { access_control: { admins: ['user:bob'] } });
    const folder = { name: 'plans', access_control: { readers: ['group:sales'] } };
    expect((await ann.post('/folders', folder)).status).toBe(200);
    await add(ann, 'in-a-folder.txt', { folder_name: '/plans' });
    await add(bob, 'of-bob.txt', { access_control: { readers: ['user:ann', 'group:sales', 'user:bob'] } });
  });
  afterAll(() => service.stop());

  it('are those of others that lists name the person or a group for, also by the folder', async () => {
    expect(await shared(bob)).toEqual([
      'for-bob.txt',
      'for-sales.txt',
      'in-a-folder.txt',
      'of-the-tenant.txt',
    ]);
    expect(await shared(ann)).toEqual(['of-bob.txt']);
    expect(await shared(bob, { folder_name: ['/plans'] })).toEqual(['in-a-folder.txt']);
    expect(await shared(bob, { filters: { filename: { $regex: '^for' } } })).toEqual([
      'for-bob.txt',
      'for-sales.txt',
    ]);
  });

  it('follow the groups of the person', async () => {
    expect((await service.client.delete('/groups/sales/members/bob')).status).toBe(200);
    await until('Bob has left the group', async () => (await shared(bob)).length === 2);
    expect(await shared(bob)).toEqual(['for-bob.txt', 'of-the-tenant.txt']);
    const asking = { end_user_id: 'cleo', groups: ['sales'] };
    expect(await shared(service.client, asking)).toEqual(['for-sales.txt', 'in-a-folder.txt', 'of-bob.txt']);
  });

  it('are none of an invited administrator, to whom nothing is shared, and of another tenant', async () => {
    expect(await shared(await keyOf('root', ['admin']))).toEqual([]);
    const other = await SharedService.enter();
    const made = await other.client.post('/keys', { name: 'bob', scopes: ['read'], end_user_id: 'bob' });
    expect(await shared(other.as((made.json() as { key: string }).key))).toEqual([]);
    await other.stop();
  });

  it('cannot be asked for by a key that reads everything', async () => {
    const answer = await service.client.post('/documents', { shared_with_me: true });
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      {
        detail: [
          { loc: ['body', 'shared_with_me'], msg: expect.stringContaining('reads everything') as string },
        ],
      },
    ]);
  });
});
