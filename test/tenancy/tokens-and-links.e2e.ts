import type { Answer, Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

interface Made {
  readonly id: string;
  readonly key: string;
}

interface AuditEntry {
  readonly action: string;
  readonly subject: string | null;
  readonly person: string | null;
  readonly outcome: string;
}

const QUESTION = 'Where is the boat?';

describe('what an administrator who was invited can hand out', () => {
  let service: Service;
  let site: Made;
  let bobKey: Made;
  let cleoKey: Made;
  let cleo: Client;

  const made = async (body: object, by: Client = service.client): Promise<Made> => {
    const answer = await by.post('/keys', { name: 'k', ...body });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json() as Made;
  };
  const namesOf = async (client: Client, body: object = {}): Promise<string[]> => {
    const answer = await client.post('/retrieve/chunks', { query: QUESTION, k: 20, min_score: 0, ...body });
    expect(answer.status).toBe(200);
    return (answer.json() as { filename: string }[]).map(({ filename }) => filename).sort();
  };
  const tokenOf = async (by: Client, id: string, body: object = {}): Promise<Client> => {
    const answer = await by.post(`/keys/${id}/token`, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return service.as((answer.json() as { token: string }).token);
  };
  const audited = async (action: string): Promise<AuditEntry> => {
    const entries = (await service.client.get('/audit?limit=20')).json() as { entries: AuditEntry[] };
    const entry = entries.entries.find((one) => one.action === action);
    if (entry === undefined) throw new Error(`no entry ${action}`);
    return entry;
  };

  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    await documents.ingestText('The boat is in the harbour.', { filename: 'shared.txt' });
    for (const person of ['ann', 'bob', 'cleo']) {
      const filename = `${person}.txt`;
      await documents.ingestText(`The boat of ${person} is in the yard.`, { filename, end_user_id: person });
    }
    site = await made({ scopes: ['read', 'query'] });
    bobKey = await made({ scopes: ['read', 'query'], end_user_id: 'bob' });
    cleoKey = await made({ scopes: ['admin'], end_user_id: 'cleo' });
    cleo = service.as(cleoKey.key);
  });
  afterAll(() => service.stop());

  it('is a token that sees what this person sees, whosever key it uses', async () => {
    expect(await namesOf(cleo)).toEqual(['cleo.txt', 'shared.txt']);
    for (const body of [{}, { end_user_id: 'cleo' }, { scopes: ['read'] }]) {
      expect(await namesOf(await tokenOf(cleo, site.id, body))).toEqual(['cleo.txt', 'shared.txt']);
    }
    const seen = 'A token sees at most what its maker sees: this key makes tokens for its own person only';
    for (const [id, body] of [
      [site.id, { end_user_id: 'ann' }],
      [bobKey.id, {}],
      [bobKey.id, { end_user_id: 'bob' }],
    ] as const) {
      const answer = await cleo.post(`/keys/${id}/token`, body);
      const reasons = [seen, 'body.end_user_id: The API key belongs to another end user'];
      expect([answer.status, reasons]).toEqual([
        403,
        expect.arrayContaining([(answer.json() as { detail: string }).detail]),
      ]);
    }
    expect((await cleo.post(`/keys/${bobKey.id}/token`, { end_user_id: 'cleo' })).status).toBe(403);
  });

  it('is no token that reads what only some people may read, without a person', async () => {
    for (const by of [service.client, service.as(site.key)]) {
      const token = await tokenOf(by, site.id);
      expect(await namesOf(token)).toEqual(['shared.txt']);
      const asAnn = await token.post('/retrieve/chunks', { query: QUESTION, end_user_id: 'ann' });
      expect([asAnn.status, asAnn.text]).toEqual([403, expect.stringContaining('body.end_user_id')]);
      expect(await namesOf(await tokenOf(by, site.id, { end_user_id: 'ann' }))).toEqual([
        'ann.txt',
        'shared.txt',
      ]);
    }
  });

  it('is neither a key without a person, nor a link to one, nor a new key of the tenant or of another', async () => {
    const refusals = [
      await cleo.post('/keys', { name: 'everything', scopes: ['read'] }),
      await cleo.post('/keys', { name: 'everything', scopes: ['admin'], end_user_id: null }),
      await cleo.post(`/keys/${site.id}/sign_in_link`, {}),
      await cleo.post('/keys', { name: 'k', scopes: ['read'], app_id: 'acme', end_user_id: 'cleo' }),
      await cleo.post('/cloud/generate_uri', { name: 'acme' }),
      await cleo.post('/apps/rotate_token?app_name=default'),
      await cleo.call('DELETE', '/apps?app_name=default'),
    ];
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 403));
    expect((await cleo.post('/keys', { name: 'Dan', scopes: ['read'], end_user_id: 'dan' })).status).toBe(
      200,
    );
  });

  it('is no key, link or group that reads more than this person', async () => {
    const ann = await made({ scopes: ['read'], end_user_id: 'ann' });
    await service.client.post('/groups', { id: 'board', members: ['gus'] });
    const plan = await new Documents(() => service.client).ingestText('The board meets on Monday.', {
      access_control: { readers: ['group:board'] },
    });
    const attempts = (): Promise<Answer>[] => [
      cleo.post('/keys', { name: 'k', scopes: ['read'], end_user_id: 'ann' }),
      cleo.post('/keys', { name: 'k', scopes: ['read'], end_user_id: 'gus' }),
      cleo.post(`/keys/${ann.id}/sign_in_link`),
      cleo.post('/groups/board/members', { members: ['cleo'] }),
    ];
    const statuses = async (): Promise<number[]> =>
      (await Promise.all(attempts())).map(({ status }) => status);
    expect(await statuses()).toEqual([403, 403, 403, 403]);
    await service.client.delete('/groups/board');
    expect((await cleo.post('/groups', { id: 'board', members: ['cleo'] })).status).toBe(403);
    await service.client.delete(`/documents/${plan.external_id}`);
    expect((await cleo.post('/groups', { id: 'board', members: ['cleo', 'dan'] })).status).toBe(200);
    expect((await cleo.post('/keys', { name: 'k', scopes: ['read'], end_user_id: 'gus' })).status).toBe(200);
    const dan = await made({ scopes: ['read'], end_user_id: 'dan' }, cleo);
    expect((await cleo.post(`/keys/${dan.id}/sign_in_link`)).status).toBe(200);
  });

  it('ends with the key of the person who made it, and is recorded with its rights', async () => {
    const eve = await made({ scopes: ['admin'], end_user_id: 'eve' });
    const token = await tokenOf(service.as(eve.key), site.id, { scopes: ['read'] });
    expect(await audited('key.token')).toMatchObject({
      subject: `${site.id} scopes=read person=eve`,
      person: 'eve',
      outcome: 'done',
    });
    expect(await namesOf(token)).toEqual(['shared.txt']);
    expect(await audited('key.create')).toMatchObject({
      subject: `default ${eve.id} k scopes=admin person=eve`,
    });
    await service.client.delete(`/keys/${eve.id}`);
    await untilStatus(() => token.post('/retrieve/chunks', { query: QUESTION }), 401);
  });

  it('is not the end of the last key of the operator', async () => {
    const keep = await made({ scopes: ['admin'] });
    const last = await made({ scopes: ['admin'] });
    expect((await cleo.delete(`/keys/${keep.id}`)).status).toBe(200);
    for (const id of [last.id, last.id.toUpperCase()]) {
      const answer = await cleo.delete(`/keys/${id}`);
      expect([answer.status, answer.text]).toEqual([
        409,
        expect.stringContaining('the last admin key without an end user'),
      ]);
    }
    const owner = service.as(last.key);
    expect((await owner.get('/keys')).status).toBe(200);
    const two = [await made({ scopes: ['admin'] }), await made({ scopes: ['admin'] })];
    await service.client.delete(`/keys/${last.id}`);
    const ended = await Promise.all(two.map(({ id }) => cleo.delete(`/keys/${id}`)));
    expect(ended.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const { id } of two) expect((await service.client.delete(`/keys/${id}`)).status).toBe(200);
  });

  describe('of a file', () => {
    let ann: Made;
    let id: string;
    const linkOf = async (client: Client, documentId = id): Promise<string> => {
      const answer = await client.get(`/documents/${documentId}/download_url?expires_in=604800`);
      expect(answer.status).toBe(200);
      const url = new URL((answer.json() as { download_url: string }).download_url);
      return url.pathname + url.search;
    };
    const open = (link: string): Promise<Answer> => service.as(null).get(link);
    const own = (endUserId: string | null): Promise<Answer> =>
      service.client.call('PATCH', `/documents/${id}`, { body: { end_user_id: endUserId } });

    beforeAll(async () => {
      ann = await made({ scopes: ['read', 'write'], end_user_id: 'ann' });
      id = (await new Documents(() => service.client).ingestText('A shared plan.', { filename: 'plan.txt' }))
        .external_id;
    });

    it('a link stands for the person who made it, and ends when this person may not read the document', async () => {
      const link = await linkOf(service.as(ann.key));
      expect(await audited('document.link')).toMatchObject({
        subject: `${id} expires_in=604800`,
        person: 'ann',
      });
      expect((await open(link)).text).toBe('A shared plan.');
      await own('bob');
      expect([(await open(link)).status, (await open(link)).text]).toEqual([
        404,
        '{"detail":"The file does not exist"}',
      ]);
      await own('ann');
      expect((await open(link)).status).toBe(200);
      await own(null);
    });

    it.each(['ADMIN_KEY', 'a stored key'])(
      'a link that %s made for groups stands for these groups',
      async (maker) => {
        const by =
          maker === 'ADMIN_KEY'
            ? service.client
            : service.as((await made({ scopes: ['read', 'write'] })).key);
        const readers = (list: readonly string[]): Promise<Answer> =>
          service.client.call('PATCH', `/documents/${id}`, { body: { access_control: { readers: list } } });
        await readers(['group:keepers']);
        const answer = await by.get(`/documents/${id}/download_url?groups=keepers`);
        const { pathname, search } = new URL((answer.json() as { download_url: string }).download_url);
        const link = pathname + search;
        expect((await open(link)).text).toBe('A shared plan.');
        await readers(['group:others']);
        expect((await open(link)).status).toBe(404);
        await readers(['everyone']);
      },
    );

    it('a link ends with its key', async () => {
      const brief = await made({ scopes: ['read'] });
      const [link, other] = [await linkOf(service.as(brief.key)), await linkOf(service.as(ann.key))];
      expect((await open(link)).status).toBe(200);
      await service.client.delete(`/keys/${brief.id}`);
      await untilStatus(() => open(link), 403);
      expect((await open(link)).json()).toEqual({ detail: 'The link is not valid or has expired' });
      expect((await open(other)).status).toBe(200);
    });
  });

  it('is an invitation that says whose account it opens, and lasts no longer than its key', async () => {
    const dora = await made({ scopes: ['read', 'query'], end_user_id: 'dora', expires_in: 3_600 });
    const link = (await cleo.post(`/keys/${dora.id}/sign_in_link?expires_in=604800`)).json() as {
      url: string;
      expires_at: string;
    };
    expect(link).toMatchObject({ end_user_id: 'dora', scopes: ['read', 'query'] });
    expect(Date.parse(link.expires_at)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect(await audited('key.sign_in_link')).toMatchObject({
      subject: `${dora.id} scopes=read,query person=dora`,
      person: 'cleo',
    });
    const code = link.url.slice(link.url.lastIndexOf('/') + 1);
    const nobody = service.as(null);
    for (let time = 0; time < 2; time += 1) {
      const shown = await nobody.post('/keys/invitation', { code });
      expect([shown.status, shown.json()]).toEqual([
        200,
        { name: 'k', end_user_id: 'dora', scopes: ['read', 'query'], expires_at: link.expires_at },
      ]);
    }
    expect((await nobody.post('/keys/sign_in', { code })).status).toBe(200);
    expect((await nobody.post('/keys/invitation', { code })).status).toBe(401);
  });

  async function untilStatus(request: () => Promise<Answer>, status: number): Promise<void> {
    await until(`the status is ${status}`, async () => (await request()).status === status);
  }
});
