import { readSettings } from '../../src/config/read-settings.js';
import { newCode } from '../../src/auth/people/one-time-code.js';
import { openDatabase } from '../../src/database/open-database.js';
import type { Answer } from '../support/client.js';
import { ServiceWithProvider } from '../support/identity-provider/service-with-provider.js';
import { BrowserCookies } from '../support/identity-provider/browser-cookies.js';
import { AUDIENCE } from '../support/identity-provider/identity-provider.js';
import { invited, keyOf, openLink } from '../support/invitations.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

interface Session {
  readonly signed_in_by: string;
  readonly key_id: string;
  readonly device_id: string;
  readonly may_add_device: boolean;
}

const sessionOf = async (at: BrowserCookies): Promise<Session> =>
  (await at.get('/session')).json() as Session;
const linkFrom = (at: BrowserCookies): Promise<Answer> => at.send('POST', '/devices/link');

describe('devices of people who sign in at an identity provider', () => {
  let home: ServiceWithProvider;
  let service: Service;
  const signIn = (account: string): Promise<BrowserCookies> => home.signIn(account);

  beforeAll(async () => {
    const accounts = {
      ada: { name: 'Ada' },
      root: { name: 'Root', groups: ['admins'] },
      bob: { name: 'Bob' },
    };
    home = await ServiceWithProvider.start(accounts, {
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_REQUIRED_SCOPE: 'docs.read',
      OIDC_SCOPE_MAP: 'docs.read=read',
      SIGN_IN_PEOPLE: 'anyone',
      SIGN_IN_ADMINS: 'admins',
    });
    ({ service } = home);
  });
  afterAll(() => home.stop());

  it('come only from the provider, which can end them', async () => {
    const sentence = 'sign in there on the other device';
    for (const account of ['ada', 'root']) {
      const at = await signIn(account);
      const answer = await linkFrom(at);
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(sentence)]);
      expect(await sessionOf(at)).toMatchObject({ signed_in_by: 'browser', may_add_device: false });
    }
    const frontend = service.as(await home.provider.accessTokenOf('ada'));
    const answer = await frontend.post('/devices/link');
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(sentence)]);
  });

  it('leaves invited people their links and devices, also beside an account', async () => {
    const { at: first } = await invited(service, 'bob', ['read']);
    expect((await sessionOf(first)).may_add_device).toBe(true);
    const there = await signIn('bob');
    expect((await linkFrom(there)).status).toBe(409);
    const link = await linkFrom(first);
    expect(link.status).toBe(200);
    const second = new BrowserCookies(service.url);
    expect((await openLink(second, link)).status).toBe(200);
    for (const at of [first, second, there]) expect((await at.get('/folders')).status).toBe(200);
    expect((await linkFrom(second)).status).toBe(200);
  });

  it('ends what a link of an earlier release opened', async () => {
    const [here, former] = [await signIn('ada'), await signIn('ada')];
    const { key_id: key, device_id: id } = await sessionOf(former);
    const { text: code, hash } = newCode('default', key);
    await service.terminate();
    const database = await openDatabase(readSettings(service.environment));
    try {
      await database.query(
        `update browser_sessions set renewal = null, checked_at = null, expires_at = 'infinity'
         where app_id = 'default' and session_id = $1`,
        [id],
      );
      await database.query(
        `insert into device_links (app_id, key_id, secret_hash, expires_at)
         values ('default', $1, $2, now() + interval '5 minutes')`,
        [key, hash],
      );
    } finally {
      await database.destroy();
    }
    await service.restart();
    const answer = await former.get('/folders');
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('You are signed out')]);
    expect((await new BrowserCookies(service.url).send('POST', '/session', { body: { code } })).status).toBe(
      401,
    );
    expect((await here.get('/folders')).status).toBe(200);
    const devices = (await here.get('/devices')).json() as { id: string }[];
    expect(devices.map((device) => device.id)).not.toContain(id);
  });
});

describe('devices of people with keys', () => {
  let service: Service;

  const change = (person: string, scopes: readonly string[]): Promise<Answer> =>
    service.client.call('PATCH', `/people/${person}`, { body: { scopes } });

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  it('are added by a browser that is signed in, and have the rights of the person', async () => {
    const { at: first } = await invited(service, 'cleo', ['read']);
    expect((await change('cleo', ['admin'])).status).toBe(200);
    await until('she is an administrator', async () => (await first.get('/keys')).status === 200);
    const second = new BrowserCookies(service.url);
    expect((await openLink(second, await linkFrom(first))).status).toBe(200);
    expect((await second.get('/keys')).status).toBe(200);
  });

  it('are not added by the key of a program, which would get what the person gets later', async () => {
    const { id, key } = await keyOf(service.client, 'ann', ['read']);
    const program = service.as(key);
    const refusal = async (): Promise<unknown> => {
      const answer = await program.post('/devices/link');
      return [answer.status, answer.text];
    };
    const refused = [403, expect.stringContaining('Only a browser that is signed in')];
    expect(await refusal()).toEqual(refused);
    expect((await change('ann', ['admin'])).status).toBe(200);
    const byAdmin = await service.client.post(`/keys/${id}/sign_in_link`);
    const opened = await openLink(new BrowserCookies(service.url), byAdmin);
    expect(opened.json()).toMatchObject({ scopes: ['read', 'query', 'write', 'admin'] });
    expect((await program.get('/keys')).status).toBe(403);
    expect(await refusal()).toEqual(refused);
    expect((await program.get('/session')).json()).toMatchObject({ may_add_device: false });
    expect((await program.post(`/keys/${id}/sign_in_link`)).status).toBe(403);
  });

  it('are added by a key of an administrator, to which nothing can be added', async () => {
    const { key } = await keyOf(service.client, 'dora', ['admin']);
    const dora = service.as(key);
    expect((await dora.get('/session')).json()).toMatchObject({ may_add_device: true });
    expect((await dora.post('/devices/link')).status).toBe(200);
    expect((await change('dora', ['read'])).status).toBe(200);
    await until('she only reads', async () => (await dora.get('/keys')).status === 403);
    expect((await dora.post('/devices/link')).status).toBe(403);
  });

  it('are not added by a browser token, nor without a key that is stored', async () => {
    const { id, key } = await keyOf(service.client, 'eve', ['admin']);
    const made = await service.as(key).post(`/keys/${id}/token`, { expires_in: 60 });
    const { token } = made.json() as { token: string };
    expect((await service.as(token).post('/devices/link')).status).toBe(403);
    expect((await service.as(token).get('/session')).json()).toMatchObject({ may_add_device: false });
    expect((await service.client.post('/devices/link')).status).toBe(404);
    expect((await service.client.get('/session')).json()).toMatchObject({ may_add_device: false });
    expect((await service.as(null).get('/session')).json()).toMatchObject({ may_add_device: false });
  });
});
