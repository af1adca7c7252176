import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

interface Made {
  readonly id: string;
  readonly client: Client;
}

const FILE_USES = ['read', 'documents', 'download'];

describe('a browser token, and a link, when rights are lost', () => {
  let service: SharedService;
  let site: Made;

  const keyOf = async (scopes: readonly string[], person: string | null = null): Promise<Made> => {
    const answer = await service.client.post('/keys', { name: 'k', scopes, end_user_id: person });
    const { id, key } = answer.json() as { id: string; key: string };
    return { id, client: service.as(key) };
  };
  const tokenOf = async (by: Client, id: string, body: object): Promise<Client> => {
    const answer = await by.post(`/keys/${id}/token`, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return service.as((answer.json() as { token: string }).token);
  };
  const sharedWith = async (...readers: string[]): Promise<string> => {
    const documents = new Documents(() => service.client);
    const made = await documents.ingestText('The boat is in the yard.', {
      filename: 'boat.txt',
      access_control: { readers },
    });
    return made.external_id;
  };
  const linkOf = async (by: Client, document: string): Promise<string> => {
    const answer = await by.get(`/documents/${document}/download_url`);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    const { pathname, search } = new URL((answer.json() as { download_url: string }).download_url);
    return pathname + search;
  };
  const opened = async (links: readonly string[]): Promise<number[]> =>
    Promise.all(links.map(async (link) => (await service.as(null).get(link)).status));
  const read = async (readers: readonly Client[], document: string): Promise<number[]> =>
    Promise.all(readers.map(async (reader) => (await reader.get(`/documents/${document}`)).status));

  beforeAll(async () => {
    service = await SharedService.enter();
    site = await keyOf(['read', 'query', 'write']);
  });
  afterAll(() => service.stop());

  it('has groups of a person only while the person is in them', async () => {
    await service.client.post('/groups', { id: 'yard', members: ['ann', 'cleo'] });
    const [ann, cleo] = [await keyOf(['read', 'query'], 'ann'), await keyOf(['admin'], 'cleo')];
    const document = await sharedWith('group:yard');
    const readers = [
      ann.client,
      await tokenOf(ann.client, ann.id, { scopes: FILE_USES, groups: ['yard'] }),
      await tokenOf(ann.client, ann.id, { scopes: FILE_USES }),
      await tokenOf(service.client, ann.id, { scopes: FILE_USES, groups: ['yard'] }),
      await tokenOf(site.client, site.id, { scopes: FILE_USES, end_user_id: 'ann' }),
      await tokenOf(cleo.client, site.id, { scopes: FILE_USES, groups: ['yard'] }),
    ];
    const links = await Promise.all(readers.map((reader) => linkOf(reader, document)));
    const allAre = (status: number): Promise<unknown> =>
      until(`the status of all readers and links is ${status}`, async () =>
        [...(await read(readers, document)), ...(await opened(links))].every((one) => one === status),
      );
    await allAre(200);
    await service.client.delete('/groups/yard/members/ann');
    await service.client.delete('/groups/yard/members/cleo');
    await allAre(404);
    await service.client.post('/groups/yard/members', { members: ['ann', 'cleo'] });
    await allAre(200);
    await service.client.delete('/groups/yard');
    await allAre(404);
  });

  it('has the groups that an application names, which need no members', async () => {
    const document = await sharedWith('group:guests');
    const token = await tokenOf(site.client, site.id, {
      scopes: FILE_USES,
      end_user_id: 'dora',
      groups: ['guests'],
    });
    const link = await linkOf(token, document);
    expect([await read([token], document), await opened([link])]).toEqual([[200], [200]]);
  });

  it('does what the key that made it may still do, and ends with this key', async () => {
    const boss = await keyOf(['admin'], 'boss');
    const document = await sharedWith('everyone');
    const token = await tokenOf(boss.client, site.id, { scopes: [...FILE_USES, 'query', 'ingest'] });
    const link = await linkOf(token, document);
    const statuses = async (): Promise<number[]> => [
      (await boss.client.post('/documents', {})).status,
      (await token.post('/documents', {})).status,
      (await token.post('/ingest/text', { content: 'By a token.' })).status,
      (await token.post('/query', { query: 'Where is the boat?' })).status,
      ...(await opened([link])),
    ];
    const become = (...expected: number[]): Promise<unknown> =>
      until(`the statuses are ${expected.join()}`, async () => (await statuses()).join() === expected.join());
    const change = async (scopes: readonly string[]): Promise<void> => {
      const { status } = await service.client.call('PATCH', '/people/boss', { body: { scopes } });
      expect(status).toBe(200);
    };
    await become(200, 200, 200, 200, 200);
    await change(['query']);
    await become(403, 403, 403, 200, 403);
    await change(['read']);
    await become(200, 200, 403, 403, 200);
    await change(['admin']);
    await become(200, 200, 200, 200, 200);
    await service.client.delete(`/keys/${boss.id}`);
    await become(401, 401, 401, 401, 403);
  });
});
