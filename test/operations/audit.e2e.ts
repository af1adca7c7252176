import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Service } from '../support/service.js';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly subject: string | null;
  readonly outcome: string;
  readonly key_id: string;
  readonly address: string | null;
}

describe('keys with networks, a changed secret and the audit log', () => {
  const [former, current] = [randomBytes(40).toString('hex'), randomBytes(40).toString('hex')];
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ JWT_SECRET: former, TRUST_PROXY: 'loopback' });
  });
  afterAll(() => service.stop());

  async function key(body: object): Promise<{ id: string; key: string; networks: unknown }> {
    const answer = await service.client.post('/keys', { name: 'k', scopes: ['read'], ...body });
    expect(answer.status).toBe(200);
    return answer.json() as { id: string; key: string; networks: unknown };
  }

  const entries = async (path = '/audit'): Promise<Entry[]> =>
    ((await service.client.get(path)).json() as { entries: Entry[] }).entries;

  it('admit a key from its networks only, behind a trusted proxy by the address that it names', async () => {
    const made = await key({ networks: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(made.networks).toEqual(['10.0.0.0/8', '2001:db8::/32']);
    const from = (address: string): Promise<number> =>
      service
        .as(made.key)
        .get('/folders', { headers: { 'x-forwarded-for': address } })
        .then(({ status }) => status);
    expect(await from('10.1.2.3')).toBe(200);
    expect(await from('::ffff:10.1.2.3')).toBe(200);
    expect(await from('2001:db8::5')).toBe(200);
    expect(await from('192.0.2.1')).toBe(403);
    const refused = await service.as(made.key).get('/folders');
    expect(refused.json()).toMatchObject({ detail: 'The API key is not allowed from this address' });
    // 503 if a check exceeds its deadline on a busy machine.
    expect([200, 503]).toContain((await service.as(made.key).get('/health')).status);
    const wrong = await service.client.post('/keys', {
      name: 'k',
      scopes: ['read'],
      networks: ['10.0.0.0/40'],
    });
    expect([wrong.status, wrong.json()]).toMatchObject([
      422,
      {
        detail: [
          { loc: ['body', 'networks', 0], msg: expect.stringContaining('must be an IP address') as string },
        ],
      },
    ]);
    const none = await service.client.post('/keys', { name: 'k', scopes: ['read'], networks: [] });
    expect(none.status).toBe(422);
  });

  it('refuse TRACE, which would repeat a key to a script', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(`${service.url}/folders`, { method: 'TRACE' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(405);
  });

  it('list who did what, from where and with which outcome, without secrets', async () => {
    const made = await key({ scopes: ['admin'] });
    await service.client.post('/cloud/generate_uri', { name: 'acme', app_id: 'acme' });
    await service.as(made.key).delete('/keys/0198c0de-0000-7000-8000-00000000abcd');
    await service.client.delete(`/keys/${made.id}`, { headers: { 'x-forwarded-for': '192.0.2.9' } });
    await service.client.post('/documents/delete', {
      document_ids: ['0198c0de-0000-7000-8000-00000000abcd'],
    });
    await service.client.delete('/apps?app_name=acme');
    const found = (await entries()).filter(({ action }) => action !== 'key.refused');
    expect(found.slice(0, 6).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'app.delete done',
      'documents.delete done',
      'key.revoke done',
      'key.revoke refused',
      'app.create done',
      'key.create done',
    ]);
    expect(found[2]).toMatchObject({ subject: made.id, key_id: 'admin-key', address: '192.0.2.9' });
    expect(found[3]?.key_id).toBe(made.id);
    expect(found[4]?.subject).toBe('acme acme');
    expect(JSON.stringify(found)).not.toContain(made.key);

    const all = await entries();
    const first = (await service.client.get('/audit?limit=2')).json() as { next: string };
    expect((await entries(`/audit?limit=2&before=${first.next}`)).map(({ id }) => id)).toEqual(
      all.slice(2, 4).map(({ id }) => id),
    );
    expect((await service.client.get('/audit?before=x')).status).toBe(422);
    const reader = await key({});
    expect((await service.as(reader.key).get('/audit')).status).toBe(403);
  });

  it('count wrong keys, sign-ins and links by source, and name the model that was connected or tried', async () => {
    const guess = service.as('guess-of-a-key');
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    for (let times = 0; times < 4; times += 1) await guess.get('/folders', from('192.0.2.1'));
    await guess.get('/folders', from('2001:db8::1'));
    await guess.get('/folders', from('2001:db8::2'));
    await service.as(null).get('/folders', from('192.0.2.1'));
    await service.as(null).post('/keys/sign_in', { code: 'guess' }, from('192.0.2.1'));
    await service.as(null).get('/files?token=guess', from('192.0.2.1'));
    const model = {
      model: 'hosted_vllm/m',
      api_base: 'http://me:word@127.0.0.1:9/v1?key=secret',
      api_key: 'sk-secret',
    };
    await service.client.post('/settings/model/list', model);
    await service.client.post('/settings/model/test', model);
    await service.client.put('/settings/model', { ...model, api_base: 'http://127.0.0.1:9/v1' });
    await service.client.delete('/settings/model');
    const found = await entries();
    const models = found.filter(({ action }) => action.startsWith('model.'));
    expect(models.map(({ action, subject }) => [action, subject])).toEqual([
      ['model.disconnect', 'extractive'],
      ['model.connect', 'hosted_vllm/m address=http://127.0.0.1:9/v1'],
      ['model.test', 'hosted_vllm/m address=http://127.0.0.1:9/v1'],
      ['model.list', 'hosted_vllm/m address=http://127.0.0.1:9/v1'],
    ]);
    const refused = found.filter(
      ({ action, subject }) => action.endsWith('.refused') && subject?.startsWith('wrong') === true,
    );
    expect(refused.map(({ action, address, subject }) => [action, address, subject]).sort()).toEqual(
      [
        ['key.refused', '192.0.2.1', 'wrong key count=4'],
        ['key.refused', '2001:db8::', 'wrong key count=2'],
        ['link.refused', '192.0.2.1', 'wrong link count=1'],
        ['sign_in.refused', '192.0.2.1', 'wrong, used or expired link count=1'],
      ].sort(),
    );
    expect(JSON.stringify(found)).not.toMatch(/secret|word@|guess/);
  });

  it('accept keys of the former secret while it is named, and sign new ones with the current', async () => {
    const old = await key({});
    await service.terminate();
    await service.restart({ JWT_SECRET: current, JWT_SECRET_PREVIOUS: former });
    expect((await service.as(old.key).get('/folders')).status).toBe(200);
    const made = await key({});
    await service.terminate();
    await service.restart({ JWT_SECRET: current });
    expect((await service.as(made.key).get('/folders')).status).toBe(200);
    expect((await service.as(old.key).get('/folders')).status).toBe(401);
  });
});
