import type { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { ServiceWithProvider } from '../support/identity-provider/service-with-provider.js';
import type { BrowserCookies } from '../support/identity-provider/browser-cookies.js';
import type { Accounts, TestIdentityProvider } from '../support/identity-provider/identity-provider.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const ADA = { name: 'Ada', groups: ['engines'], tenant: 'default' };
const ROOT = { name: 'Root', groups: ['lectern-admins'], tenant: 'default' };
const ACCOUNTS: Accounts = { ada: ADA, root: ROOT };

/** What still acts for an account without a browser. */
interface HandedOut {
  readonly token: Client;
  readonly link: string;
}

describe.each([
  ['a refresh token', 'openid profile offline_access'],
  ['an access token', 'openid profile'],
])('an account that the provider is asked about with %s', (_credential, scopes) => {
  let home: ServiceWithProvider;
  let provider: TestIdentityProvider;
  let receiver: WebhookReceiver;
  let service: Service;
  let url: string;
  let shared: string;
  const signIn = (account: string): Promise<BrowserCookies> => home.signIn(account);
  const sessionOf = async (at: BrowserCookies): Promise<{ key_id: string; groups: string[] }> =>
    (await at.get('/session')).json() as { key_id: string; groups: string[] };
  const ends = (at: BrowserCookies): Promise<unknown> =>
    until('the session ended', async () => (await at.get('/folders')).status === 401);
  const tokenOf = async (at: BrowserCookies, keyId: string, uses: readonly string[]): Promise<Client> => {
    const answer = await at.send('POST', `/keys/${keyId}/token`, { body: { scopes: uses } });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return service.as((answer.json() as { token: string }).token);
  };
  const added = async (readers: string, by: Client = service.client): Promise<string> => {
    const access = { filename: 'boiler.txt', access_control: { readers: [readers] } };
    return (await new Documents(() => by).ingestText('The boiler is warm.', access)).external_id;
  };
  const handedOut = async (at: BrowserCookies): Promise<HandedOut> => {
    const { key_id: keyId } = await sessionOf(at);
    const { download_url: link } = (await at.get(`/documents/${shared}/download_url`)).json() as {
      download_url: string;
    };
    return { token: await tokenOf(at, keyId, ['read', 'documents']), link: link.replace(url, '') };
  };
  const statuses = async ({ token, link }: HandedOut): Promise<string> => {
    const answers = [await token.get(`/documents/${shared}`), await service.as(null).get(link)];
    return answers.map(({ status }) => status).join();
  };
  const become = (out: HandedOut, expected: string): Promise<unknown> =>
    until(`the statuses are ${expected}`, async () => (await statuses(out)) === expected);

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    home = await ServiceWithProvider.start(ACCOUNTS, {
      OIDC_SCOPES: scopes,
      OIDC_TENANT_CLAIM: 'tenant',
      OIDC_RECHECK_SECONDS: '1',
      SIGN_IN_PEOPLE: 'anyone',
      SIGN_IN_ADMINS: 'lectern-admins',
      SIGN_IN_PERMISSIONS: 'read,write',
      WEBHOOK_ALLOWED_BASES: receiver.url,
    });
    ({ provider, service, url } = home);
    shared = await added('group:engines');
  });
  afterAll(async () => {
    await home.stop();
    await receiver.close();
  });
  afterEach(() => {
    provider.setAccounts(ACCOUNTS);
  });

  it('opens the other tenant when the provider moves it there', async () => {
    const made = await service.client.post('/cloud/generate_uri', { name: 'ships', app_id: 'ships' });
    expect(made.status).toBe(200);
    const ada = await signIn('ada');
    const out = await handedOut(ada);
    provider.setAccounts({ ada: { ...ADA, tenant: 'ships' } });
    await ends(ada);
    await become(out, '404,404');
    const there = await signIn('ada');
    expect((await there.get('/folders')).status).toBe(200);
    expect((await there.get(`/documents/${shared}`)).status).toBe(404);
    provider.setAccounts(ACCOUNTS);
    await ends(there);
    expect((await (await signIn('ada')).get(`/documents/${shared}`)).status).toBe(200);
    await become(out, '200,200');
  });

  it('hands out no groups and no rights of an administrator after the provider has refused it', async () => {
    const [ada, root] = [await signIn('ada'), await signIn('root')];
    const out = await handedOut(ada);
    const hook = { url: `${receiver.url}/ada`, types: ['document.completed'] };
    expect((await ada.send('POST', '/webhooks', { body: hook })).status).toBe(200);
    const site = (await service.client.post('/keys', { name: 'site', scopes: ['read', 'query'] })).json();
    const asRoot = await tokenOf(root, (site as { id: string }).id, ['read', 'query']);
    const asked = async (): Promise<number> =>
      (await asRoot.post('/query', { query: 'Is the boiler warm?' })).status;
    expect([await statuses(out), await asked()]).toEqual(['200,200', 200]);

    provider.setAccounts({});
    await Promise.all([ends(ada), ends(root)]);
    await become(out, '404,404');
    await until('the token has lost a right', async () => (await asked()) === 403);
    expect((await service.client.get('/people/root')).json()).toMatchObject({
      admin_elsewhere: false,
      scopes: ['read', 'write'],
      groups: [],
    });
    const [hidden, open] = [await added('group:engines'), await added('everyone')];
    expect((await out.token.get(`/documents/${open}`)).status).toBe(200);
    await receiver.next('/ada', ({ data }) => data?.['document_id'] === open);
    const told = receiver.at('/ada').map(({ message }) => message.data?.['document_id']);
    expect(told).not.toContain(hidden);

    provider.setAccounts(ACCOUNTS);
    await Promise.all([signIn('ada'), signIn('root')]);
    await become(out, '200,200');
    await until('the token has its right again', async () => (await asked()) === 200);
  });

  it('has its groups again as soon as the provider confirms another of its browsers', async () => {
    const [here, there] = [await signIn('ada'), await signIn('ada')];
    const out = await handedOut(there);
    provider.setAccounts({});
    await ends(here);
    await become(out, '404,404');
    provider.setAccounts(ACCOUNTS);
    await until('the other browser is confirmed', async () => (await sessionOf(there)).groups.length === 1);
    await become(out, '200,200');
  });

  it('keeps its groups while the provider is down', async () => {
    const ada = await signIn('ada');
    const out = await handedOut(ada);
    await provider.stop();
    try {
      await until('the provider was asked in vain', async () => {
        expect((await ada.get('/folders')).status).toBe(200);
        return service.output.includes('the session goes on');
      });
      expect(await statuses(out)).toBe('200,200');
    } finally {
      await provider.resume();
    }
  });

  if (!scopes.includes('offline_access')) {
    it('keeps its groups when only the time of the sign-in is over', async () => {
      provider.setTokenLifetime(3);
      const ada = await signIn('ada');
      const out = await handedOut(ada);
      await ends(ada);
      expect(await statuses(out)).toBe('200,200');
    });
  }
});
