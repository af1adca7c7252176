import { request } from 'node:http';
import { BrowserCookies } from '../support/identity-provider/browser-cookies.js';
import { invited } from '../support/invitations.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const COMMON = {
  PROXY_PERSON_HEADER: 'X-Signed-In',
  PROXY_NAME_HEADER: 'X-Signed-In-Name',
  PROXY_GROUPS_HEADER: 'X-Signed-In-Groups',
  PROXY_SIGN_OUT_URL: 'https://proxy.example/out',
  SIGN_IN_PEOPLE: 'anyone',
  SIGN_IN_ADMINS: 'admins',
};

/** Sends a request from another address of this machine. */
function statusFrom(localAddress: string, url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { localAddress, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('a proxy that signs people in', () => {
  let service: Service;
  let page: BrowserCookies;
  const session = async (headers: Record<string, string>): Promise<unknown> =>
    (await page.get('/session', headers)).json();

  beforeAll(async () => {
    service = await Service.start({ ...COMMON, TRUST_PROXY: '127.0.0.1' });
    page = new BrowserCookies(service.url);
  });
  afterAll(() => service.stop());

  it('names the person and the groups, which count from the next request on', async () => {
    const name = Buffer.from('Jürgen').toString('latin1');
    const headers = { 'x-signed-in': 'jw', 'x-signed-in-name': name, 'x-signed-in-groups': 'sales, engines' };
    expect(await session(headers)).toMatchObject({
      signed_in_by: 'proxy',
      name: 'Jürgen',
      end_user_id: 'jw',
      groups: ['engines', 'sales'],
      scopes: ['read', 'query'],
    });
    expect((await page.get('/keys', headers)).status).toBe(403);
    const admin = { ...headers, 'x-signed-in-groups': 'admins' };
    await until('he is an administrator', async () => (await page.get('/keys', admin)).status === 200);
    await until('he is none', async () => (await page.get('/keys', headers)).status === 403);
    const out = await page.send('DELETE', '/session', { headers });
    expect(out.json()).toEqual({ sign_out_url: 'https://proxy.example/out' });
  });

  it('leaves invited people the role of their invitation, and a role that was changed since then', async () => {
    const people = [{ name: 'Mia', scopes: ['read', 'write'], end_user_id: 'mia' }];
    expect((await service.client.post('/people', { people })).status).toBe(200);
    const headers = { 'x-signed-in': 'mia', 'x-signed-in-name': 'Mia' };
    const scopes = async (more: Record<string, string> = {}): Promise<string> =>
      ((await session({ ...headers, ...more })) as { scopes: string[] }).scopes.join();
    expect(await scopes()).toBe('read,write');
    expect((await service.client.call('PATCH', '/people/mia', { body: { scopes: ['query'] } })).status).toBe(
      200,
    );
    await until('the new role counts', async () => (await scopes()) === 'query');
    const admin = { 'x-signed-in-groups': 'admins' };
    await until('she is an administrator', async () => (await scopes(admin)).includes('admin'));
    await until('she is none', async () => (await scopes()) === 'query');
  });

  it('says who is in a group with each request, not with those that still run', async () => {
    const readers = ['group:pilots'];
    const text = { content: 'The channel is deep.', access_control: { readers } };
    const made = (await service.client.post('/ingest/text', text)).json() as { external_id: string };
    const stream = async (headers: Record<string, string>): Promise<Response> => {
      const answer = await fetch(`${service.url}/events`, {
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
        signal: stop.signal,
      });
      expect(answer.status).toBe(200);
      return answer;
    };
    const stop = new AbortController();
    const pia = { 'x-signed-in': 'pia' };
    const running = await stream({ ...pia, 'x-signed-in-groups': 'pilots,admins' });
    const other = (await stream({ 'x-signed-in': 'otto' })).text();
    const statuses = async (): Promise<number[]> => [
      (await page.get(`/documents/${made.external_id}`, pia)).status,
      (await page.get('/keys', pia)).status,
    ];
    await until('she is in no group', async () => (await statuses()).join() === '404,403');
    // The stream of Otto was opened later: when it has ended, the one of Pia was checked too.
    expect((await service.client.delete('/people/otto')).status).toBe(200);
    expect(await other).toContain('An administrator ended your access');
    expect((await service.client.get('/people/pia')).json()).toMatchObject({
      groups: [],
      admin_elsewhere: false,
      scopes: ['read', 'query'],
    });
    expect(await statuses()).toEqual([404, 403]);
    expect((await service.client.delete('/people/pia')).status).toBe(200);
    await running.text(); // ends with her access
    stop.abort();
  });

  it('lets people through whom it did not sign in, and keys as ever', async () => {
    expect(await session({})).toMatchObject({ signed_in_by: 'nobody' });
    expect(await session({ 'x-signed-in': '' })).toMatchObject({ signed_in_by: 'nobody' });
    const key = { authorization: `Bearer ${service.adminKey}`, 'x-signed-in': 'jw' };
    expect(await session(key)).toMatchObject({ signed_in_by: 'key', end_user_id: null });
  });

  it('counts instead of a cookie of somebody else, also of one that ended', async () => {
    const { at: ann } = await invited(service, 'ann', ['read']);
    const bob = { 'x-signed-in': 'bob' };
    const caller = async (headers: Record<string, string>): Promise<unknown> =>
      (await ann.get('/session', headers)).json();
    expect(await caller(bob)).toMatchObject({ signed_in_by: 'proxy', end_user_id: 'bob', device_id: null });
    expect(await caller({})).toMatchObject({ signed_in_by: 'browser', end_user_id: 'ann' });
    expect(await caller({ 'x-signed-in': '' })).toMatchObject({ end_user_id: 'ann' });
    expect((await ann.get('/folders', { 'x-signed-in': 'x'.repeat(257) })).status).toBe(401);
    const devices = await ann.get('/devices');
    expect(devices.json()).toMatchObject([{ is_this: true }]);

    const cookie = ann.cookies.get('lectern_session') ?? '';
    const out = await ann.send('DELETE', '/session', { headers: bob });
    expect(out.json()).toEqual({ sign_out_url: 'https://proxy.example/out' });
    expect(ann.cookies.size).toBe(0);
    ann.cookies.set('lectern_session', cookie);
    expect((await ann.get('/folders')).status).toBe(401);
    expect((await ann.get('/folders', bob)).status).toBe(200);
  });

  it('makes no link to another device, which would work without it', async () => {
    const headers = { 'x-signed-in': 'jw' };
    const answer = await page.send('POST', '/devices/link', { headers });
    expect([answer.status, answer.text]).toEqual([
      409,
      expect.stringContaining('sign in there on the other device'),
    ]);
    expect(await session(headers)).toMatchObject({ may_add_device: false });
  });

  it('is not believed in what pages of other sites send', async () => {
    const headers = { 'x-signed-in': 'jw', 'sec-fetch-site': 'cross-site' };
    expect((await page.send('POST', '/folders/details', { body: {}, headers })).status).toBe(403);
    expect((await page.get('/folders', headers)).status).toBe(403);
  });

  it('is refused if the header names no person', async () => {
    for (const headers of [
      { 'x-signed-in': 'x'.repeat(257) },
      { 'x-signed-in': 'jw', 'x-signed-in-groups': 'g'.repeat(257) },
      { 'x-signed-in': 'jw', 'x-signed-in-groups': Array.from({ length: 1_001 }, (_, n) => n).join(',') },
    ]) {
      const answer = await page.get('/folders', headers);
      expect([answer.status, answer.text]).toEqual([
        401,
        expect.stringContaining('The proxy names no usable person'),
      ]);
    }
  });

  it('is believed only at the addresses of TRUST_PROXY', async () => {
    const url = `${service.url}/folders`;
    const headers = { 'x-signed-in': 'jw' };
    expect(await statusFrom('127.0.0.1', url, headers)).toBe(200);
    expect(await statusFrom('127.0.0.2', url, headers)).toBe(401);
    // The header that names the client does not make a stranger a proxy.
    expect(await statusFrom('127.0.0.2', url, { ...headers, 'x-forwarded-for': '127.0.0.1' })).toBe(401);
    const key = { authorization: `Bearer ${service.adminKey}` };
    expect(await statusFrom('127.0.0.2', url, { ...headers, ...key })).toBe(200);
  });
});
