import { BrowserCookies } from '../support/identity-provider/browser-cookies.js';
import { AUDIENCE } from '../support/identity-provider/identity-provider.js';
import { ServiceWithProvider } from '../support/identity-provider/service-with-provider.js';
import { Documents } from '../support/documents.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';

const of = (name: string, email = `${name}@works.example`): Readonly<Record<string, unknown>> => ({
  name,
  email,
  email_verified: true,
});
const ACCOUNTS = {
  ada: of('ada'),
  other: of('other', 'ada@works.example'),
  zoe: of('zoe'),
  uma: of('uma'),
};

describe('a person who comes by an identity provider, an access token or a proxy', () => {
  let home: ServiceWithProvider;
  let service: Service;

  /** @returns where the service leads the browser after the sign-in, and the browser */
  const signIn = async (account: string): Promise<[string, BrowserCookies]> => {
    const at = new BrowserCookies(home.url);
    return [await home.tryToSignIn(at, account), at];
  };
  const tokenOf = (account: keyof typeof ACCOUNTS): Promise<string> =>
    home.provider.sign({ sub: account, ...ACCOUNTS[account] });
  const byToken = async (account: keyof typeof ACCOUNTS): Promise<number> =>
    (await service.as(await tokenOf(account)).get('/folders')).status;
  const byProxy = async (person: string): Promise<number> =>
    (await new BrowserCookies(home.url).get('/folders', { 'x-signed-in': person })).status;

  beforeAll(async () => {
    home = await ServiceWithProvider.start(ACCOUNTS, {
      OIDC_SCOPES: 'openid profile email offline_access',
      OIDC_PERSON_CLAIM: 'email',
      OIDC_AUDIENCE: AUDIENCE,
      PROXY_PERSON_HEADER: 'X-Signed-In',
      TRUST_PROXY: '127.0.0.1',
      SIGN_IN_PEOPLE: 'anyone',
      SIGN_IN_PERMISSIONS: 'read,query,write',
    });
    ({ service } = home);
  });
  afterAll(() => home.stop());

  it('is nobody else of the same provider with the same identifier', async () => {
    const [place] = await signIn('ada');
    expect(place).toBe('/');
    const ada = service.as(await tokenOf('ada'));
    const { external_id: id } = await new Documents(() => ada).ingestText('The keel is of oak.');
    expect((await ada.get(`/documents/${id}`)).status).toBe(200);
    const [refused, browser] = await signIn('other');
    expect(refused).toMatch(/^\/#\/signed-out\//);
    expect((await browser.get(`/documents/${id}`)).status).toBe(401);
    const answer = await service.as(await tokenOf('other')).get(`/documents/${id}`);
    expect([answer.status, answer.json()]).toEqual([
      403,
      { detail: 'Somebody else with your identifier uses this service' },
    ]);
    // The proxy names the same people as the provider.
    expect(await byProxy('ada@works.example')).toBe(200);
    expect((await signIn('ada'))[0]).toBe('/');
  });

  it('whose access was ended comes by none of them, until there is an invitation', async () => {
    const person = 'zoe@works.example';
    expect(await byToken('zoe')).toBe(200);
    const people = [{ name: 'Zoe', scopes: ['read'], end_user_id: person }];
    expect((await service.client.post('/people', { people })).status).toBe(200);
    expect((await service.client.delete(`/people/${person}`)).status).toBe(200);
    await until('the token is refused', async () => (await byToken('zoe')) === 403);
    expect(await byProxy(person)).toBe(403);
    expect((await signIn('zoe'))[0]).toMatch(/^\/#\/signed-out\//);
    expect((await service.client.post('/people', { people })).status).toBe(200);
    await until('the token is taken', async () => (await byToken('zoe')) === 200);
    expect(await byProxy(person)).toBe(200);
    expect((await signIn('zoe'))[0]).toBe('/');
    expect((await service.client.delete(`/people/${person}`)).status).toBe(200);
    await until('the token is refused again', async () => (await byToken('zoe')) === 403);
    expect([await byProxy(person), (await signIn('zoe'))[0]]).toEqual([
      403,
      expect.stringMatching(/^\/#\/signed-out\//),
    ]);
  });

  it('signs in again after the keys of the tenant were rotated', async () => {
    const browser = (await signIn('ada'))[1];
    expect((await browser.get('/folders')).status).toBe(200);
    const role = await service.client.call('PATCH', '/people/ada@works.example', {
      body: { scopes: ['read'] },
    });
    expect(role.status).toBe(200);
    const rotated = await service.client.post('/apps/rotate_token?app_id=default');
    expect([rotated.status, rotated.text]).toEqual([200, expect.any(String)]);
    await until('the session has ended', async () => (await browser.get('/folders')).status === 401);
    const [place, again] = await signIn('ada');
    expect(place).toBe('/');
    expect((await again.get('/session')).json()).toMatchObject({ scopes: ['read'] });
    expect(await byToken('ada')).toBe(200);
  });

  it('and never had a key is ended all the same', async () => {
    const person = 'uma@works.example';
    expect(await byToken('uma')).toBe(200);
    expect((await service.client.get(`/people/${person}`)).status).toBe(404);
    expect((await service.client.delete(`/people/${person}`)).status).toBe(200);
    await until('the token is refused', async () => (await byToken('uma')) === 403);
    expect(await byProxy(person)).toBe(403);
    const { people } = (await service.client.get('/people?state=ended')).json() as {
      people: { id: string }[];
    };
    expect(people.map(({ id }) => id)).toContain(person);
  });
});
