import type { Answer } from '../support/client.js';
import { ServiceWithProvider } from '../support/identity-provider/service-with-provider.js';
import { BrowserCookies } from '../support/identity-provider/browser-cookies.js';
import type { TestIdentityProvider } from '../support/identity-provider/identity-provider.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';

const ADA = { name: 'Ada Lovelace', groups: ['engines', 'sales'] };
const ROOT = { name: 'Root', groups: ['lectern-admins'] };

interface Session {
  readonly signed_in_by: string;
  readonly name: string | null;
  readonly end_user_id: string | null;
  readonly groups: string[];
  readonly scopes: string[];
  readonly device_id: string | null;
}

describe('signing in at an identity provider', () => {
  let home: ServiceWithProvider;
  let provider: TestIdentityProvider;
  let service: Service;
  let url: string;

  const browser = (): BrowserCookies => new BrowserCookies(url);
  const sessionOf = async (at: BrowserCookies): Promise<Session> =>
    (await at.get('/session')).json() as Session;
  const begin = (at: BrowserCookies): Promise<string> => home.begin(at);
  const comeBack = (at: BrowserCookies, returned: string): Promise<string> => home.comeBack(at, returned);
  const signIn = (account: string, at?: BrowserCookies): Promise<BrowserCookies> => home.signIn(account, at);

  beforeAll(async () => {
    home = await ServiceWithProvider.start(
      { ada: ADA, root: ROOT, eve: { name: 'Eve' } },
      {
        OIDC_SCOPES: 'openid profile email offline_access',
        OIDC_RECHECK_SECONDS: '1',
        SIGN_IN_PEOPLE: 'anyone',
        SIGN_IN_MAX_PEOPLE: '4',
        SIGN_IN_ADMINS: 'lectern-admins',
      },
    );
    ({ provider, service, url } = home);
  });
  afterAll(() => home.stop());
  afterEach(() => {
    provider.setAccounts({ ada: ADA, root: ROOT, eve: { name: 'Eve' } });
  });

  it('makes the person at the first time, with name, groups and rights from the claims', async () => {
    const ada = await signIn('ada');
    expect(await sessionOf(ada)).toMatchObject({
      signed_in_by: 'browser',
      name: 'Ada Lovelace',
      end_user_id: 'ada',
      groups: ['engines', 'sales'],
      scopes: ['read', 'query'],
    });
    expect((await ada.get('/keys')).status).toBe(403);
    const root = await signIn('root');
    const keys = (await root.get('/keys')).json() as { name: string; end_user_id: string }[];
    expect(keys.map(({ name }) => name).sort()).toEqual(['Ada Lovelace', 'Root']);
    await signIn('ada');
    expect((await root.get('/keys')).json()).toHaveLength(2);
  });

  it('gives the browser cookies that no script reads and no other site sends', async () => {
    const ada = await signIn('ada');
    const [session] = ada.set.filter((cookie) => cookie.startsWith('lectern_session='));
    expect(session).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const [begun] = ada.set.filter((cookie) => cookie.startsWith('lectern_sign_in='));
    expect(begun).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect([...ada.cookies.keys()]).toEqual(['lectern_session']);
  });

  it('does not count what pages of other sites send with the cookie', async () => {
    const ada = await signIn('ada');
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await ada.send('POST', '/folders/details', { body: {}, headers })).status).toBe(403);
      expect((await ada.send('DELETE', '/session', { headers })).status).toBe(403);
    }
    const cookie = `lectern_session=${ada.cookies.get('lectern_session')}`;
    const post = (headers: Record<string, string>): Promise<number> =>
      fetch(`${url}/folders/details`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: '{}',
      }).then(({ status }) => status);
    expect(await post({})).toBe(403);
    expect(await post({ origin: 'https://evil.example' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ origin: url })).toBe(200);
    expect((await sessionOf(ada)).name).toBe('Ada Lovelace');
  });

  it('takes an answer of the provider once, and only from the browser that asked', async () => {
    const ada = browser();
    const returned = await provider.signIn(await begin(ada), 'ada');
    const mallory = browser();
    expect(await comeBack(mallory, returned)).toBe('/#/signed-out/refused');
    // Mallory began a sign-in too, and injects the code of Ada's.
    await begin(mallory);
    expect(await comeBack(mallory, returned)).toBe('/#/signed-out/refused');
    expect((await sessionOf(mallory)).signed_in_by).toBe('nobody');
    const begun = ada.cookies.get('lectern_sign_in') ?? '';
    expect(await comeBack(ada, returned)).toBe('/');
    const session = ada.cookies.get('lectern_session');
    ada.cookies.set('lectern_sign_in', begun);
    expect(await comeBack(ada, returned)).toBe('/#/signed-out/refused');
    expect(ada.cookies.get('lectern_session')).toBe(session);
  });

  it('takes no answer with another state, or of another provider', async () => {
    for (const change of [
      (answer: URL) => {
        answer.searchParams.set('state', 'x');
      },
      (answer: URL) => {
        answer.searchParams.delete('state');
      },
      (answer: URL) => {
        answer.searchParams.set('iss', 'https://evil.example');
      },
      (answer: URL) => {
        answer.searchParams.set('code', 'x');
      },
      (answer: URL) => {
        answer.searchParams.append('code', 'x');
      },
    ]) {
      const at = browser();
      const returned = new URL(await provider.signIn(await begin(at), 'ada'));
      change(returned);
      expect(await comeBack(at, returned.href)).toBe('/#/signed-out/refused');
      expect((await sessionOf(at)).signed_in_by).toBe('nobody');
    }
  });

  it('begins a new session each time, and leads nowhere else', async () => {
    const ada = browser();
    ada.cookies.set('lectern_session', 'chosen-by-somebody-else');
    await signIn('ada', ada);
    const first = ada.cookies.get('lectern_session');
    expect(first).not.toBe('chosen-by-somebody-else');
    await signIn('ada', ada);
    expect(ada.cookies.get('lectern_session')).not.toBe(first);
    const at = browser();
    const answer = await at.send('GET', '/session/start?return_to=https://evil.example', {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    const asked = new URL(answer.headers.get('location') ?? '');
    expect([asked.origin, asked.searchParams.get('redirect_uri')]).toEqual([
      provider.issuer,
      `${url}/session/callback`,
    ]);
    expect(asked.searchParams.get('code_challenge_method')).toBe('S256');
  });

  it('follows groups and administrators while people are signed in', async () => {
    const [ada, root] = [await signIn('ada'), await signIn('root')];
    provider.setAccounts({ ada: { ...ADA, groups: ['sales', 'ships'] }, root: { ...ROOT, groups: [] } });
    await until(
      'Ada is in another group',
      async () => JSON.stringify((await sessionOf(ada)).groups) === '["sales","ships"]',
    );
    await until('Root is no administrator', async () => (await root.get('/keys')).status === 403);
    provider.setAccounts({ ada: ADA, root: { ...ROOT, groups: [['odd']] } });
    await until('odd groups end the session', async () => (await sessionOf(root)).signed_in_by === 'nobody');
    provider.setAccounts({ root: ROOT });
    await until(
      'the provider no longer knows Ada',
      async () => (await sessionOf(ada)).signed_in_by === 'nobody',
    );
  });

  it('names the groups of the provider to whoever shares', async () => {
    await signIn('ada');
    const found = async (q: string): Promise<unknown> =>
      (await service.client.get(`/directory?q=${q}`)).json();
    expect(await found('engin')).toEqual([
      { id: 'group:engines', name: 'engines', detail: null, provided: true },
    ]);
    expect(await found('lectern-adm')).toEqual([]); // of nobody who may use the service yet
    const engines = async (): Promise<unknown> =>
      ((await service.client.get('/groups')).json() as { id: string }[]).filter(({ id }) => id === 'engines');
    expect(await engines()).toEqual([
      { id: 'engines', name: null, members: ['ada'], created_at: null, provided: true },
    ]);
    await service.client.post('/groups', { id: 'engines', name: 'Engines and boilers' });
    expect(await found('engin')).toMatchObject([
      { id: 'group:engines', name: 'Engines and boilers', provided: false },
    ]);
    expect(await engines()).toMatchObject([{ name: 'Engines and boilers', members: [], provided: false }]);
    await service.client.delete('/groups/engines');
  });

  it('gives the role that an administrator chose, from the next check on, unless a claim makes an administrator', async () => {
    const [ada, root] = [await signIn('ada'), await signIn('root')];
    const scopesOf = async (at: BrowserCookies): Promise<string> => (await sessionOf(at)).scopes.join();
    const change = (person: string, scopes: string[]): Promise<Answer> =>
      service.client.call('PATCH', `/people/${person}`, { body: { scopes } });
    expect(await scopesOf(ada)).toBe('read,query');
    expect((await change('ada', ['read', 'write'])).status).toBe(200);
    await until('she may add documents', async () => (await scopesOf(ada)) === 'read,write');
    provider.setAccounts({ ada: { ...ADA, groups: ['ships'] }, root: ROOT });
    await until('the provider was asked', async () => (await sessionOf(ada)).groups.join() === 'ships');
    expect(await scopesOf(ada)).toBe('read,write');
    expect(await scopesOf(await signIn('ada'))).toBe('read,write');

    const refused = await change('root', ['read']);
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('makes the person an administrator'),
    ]);
    expect((await root.get('/people/root')).json()).toMatchObject({ admin_elsewhere: true });
    provider.setAccounts({ ada: { ...ADA, groups: ['lectern-admins'] }, root: { ...ROOT, groups: [] } });
    await until('a claim makes her an administrator', async () => (await ada.get('/keys')).status === 200);
    await until('he is none', async () => (await root.get('/keys')).status === 403);
    expect((await change('root', ['read'])).status).toBe(200);
    await until('he only reads', async () => (await scopesOf(root)) === 'read');
    provider.setAccounts({ ada: ADA, root: ROOT });
    await until('she has her role again', async () => (await scopesOf(ada)) === 'read,write');
    await until('he is an administrator', async () => (await root.get('/keys')).status === 200);
    expect((await service.client.call('PATCH', '/people/ada', { body: { name: 'A' } })).status).toBe(409);
    provider.setAccounts({ ada: ADA, root: { ...ROOT, groups: [] } });
    await until('he only reads', async () => (await scopesOf(root)) === 'read');
    expect((await change('ada', ['read', 'query'])).status).toBe(200);
    expect((await change('root', ['read', 'query'])).status).toBe(200);
  });

  it('goes on while the provider is down, and says so to whoever signs in', async () => {
    const ada = await signIn('ada');
    const late = browser();
    const returned = await provider.signIn(await begin(late), 'ada');
    await provider.stop();
    try {
      await until('the provider was asked in vain', async () => {
        expect((await ada.get('/folders')).status).toBe(200);
        return service.output.includes('the session goes on');
      });
      expect(await comeBack(late, returned)).toBe('/#/signed-out/unavailable');
    } finally {
      await provider.resume();
    }
  });

  it('signs out here, and leads to the provider', async () => {
    const ada = await signIn('ada');
    const cookie = ada.cookies.get('lectern_session') ?? '';
    const { sign_out_url: out } = (await ada.send('DELETE', '/session')).json() as { sign_out_url: string };
    const at = new URL(out);
    expect([at.origin, at.searchParams.get('post_logout_redirect_uri')]).toEqual([
      provider.issuer,
      `${url}/`,
    ]);
    expect(at.searchParams.get('id_token_hint')).not.toBeNull();
    expect(ada.cookies.size).toBe(0);
    ada.cookies.set('lectern_session', cookie);
    expect((await ada.get('/folders')).status).toBe(401);
  });

  it('lists the devices of a person, who signs one out', async () => {
    const [here, there, root] = [await signIn('ada'), await signIn('ada'), await signIn('root')];
    const { device_id: other } = await sessionOf(there);
    const devices = (await here.get('/devices')).json() as { id: string; is_this: boolean }[];
    expect(devices.filter(({ is_this: isThis }) => isThis)).toHaveLength(1);
    expect(devices.map(({ id }) => id)).toContain(other);
    expect((await root.send('DELETE', `/devices/${other}`)).status).toBe(404);
    expect((await here.send('DELETE', `/devices/${other}`)).status).toBe(200);
    await until('it is signed out', async () => (await there.get('/folders')).status === 401);
    expect((await here.get('/folders')).status).toBe(200);
  });

  it('keeps out whom an administrator ended, until a new invitation', async () => {
    const ada = await signIn('ada');
    const keys = (await service.client.get('/keys')).json() as { id: string; end_user_id: string }[];
    const own = keys.find(({ end_user_id: person }) => person === 'ada');
    expect((await service.client.post(`/keys/${own?.id}/sign_in_link`)).status).toBe(409);
    expect((await service.client.delete(`/keys/${own?.id}`)).status).toBe(200);
    await until('the session ended', async () => (await ada.get('/folders')).status === 401);
    const at = browser();
    expect(await comeBack(at, await provider.signIn(await begin(at), 'ada'))).toBe('/#/signed-out/ended');
    const invited = await service.client.post('/keys', { name: 'Ada', scopes: ['read'], end_user_id: 'ada' });
    expect(invited.status).toBe(200);
    await signIn('ada', at);
    expect((await sessionOf(at)).scopes).toEqual(['read']);
  });

  it('lets somebody in again whom an administrator ended, also one with an account', async () => {
    const [ada, root] = [await signIn('ada'), await signIn('root')];
    const change = (at: BrowserCookies, person: string, body: object): Promise<Answer> =>
      at.send('PATCH', `/people/${person}`, { body });
    await service.client.post('/ingest/text', { content: 'A note.', end_user_id: 'ada' });
    expect((await root.send('DELETE', '/people/ada')).status).toBe(200);
    await until('the session ended', async () => (await ada.get('/folders')).status === 401);
    expect((await root.get('/people/ada')).json()).toMatchObject({ active: false, signs_in_elsewhere: true });
    expect((await change(root, 'ada', { active: false })).status).toBe(422);
    const restored = await change(root, 'ada', { active: true });
    expect([restored.status, restored.json()]).toEqual([
      200,
      expect.objectContaining({ active: true, signs_in_elsewhere: true, scopes: ['read'] }),
    ]);
    expect((await ada.get('/folders')).status).toBe(401); // the device stays signed out
    expect((await sessionOf(await signIn('ada'))).scopes).toEqual(['read']);

    await service.client.post('/keys', { name: 'Bert', scopes: ['read'], end_user_id: 'bert' });
    await service.client.delete('/people/bert');
    const refused = await change(root, 'bert', { active: true });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('by a link')]);
  });

  it('knows people of one name apart by their verified e-mail address', async () => {
    const named = async (): Promise<unknown> => (await service.client.get('/directory?q=lovelace')).json();
    await signIn('ada');
    expect(await named()).toEqual([{ id: 'user:ada', name: 'Ada Lovelace', detail: null, provided: false }]);
    const email = { email: 'ada@works.example', email_verified: false };
    provider.setAccounts({ ada: { ...ADA, ...email }, root: ROOT });
    await signIn('ada');
    expect(await named()).toMatchObject([{ detail: null }]);
    provider.setAccounts({ ada: { ...ADA, ...email, email_verified: true }, root: ROOT });
    await signIn('ada');
    expect(await named()).toMatchObject([{ detail: 'ada@works.example' }]);
    for (const found of ['/directory?q=works.ex', '/directory?ids=user:ada']) {
      expect((await service.client.get(found)).json()).toMatchObject([{ id: 'user:ada' }]);
    }
    expect((await service.client.get('/people?q=works.ex')).json()).toMatchObject({
      people: [{ id: 'ada', detail: 'ada@works.example' }],
    });
  });

  it('makes no more people than allowed', async () => {
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`p${n}`, { name: `P ${n}` }]));
    provider.setAccounts(many);
    const places: string[] = [];
    for (const account of Object.keys(many)) {
      const at = browser();
      places.push(await comeBack(at, await provider.signIn(await begin(at), account)));
    }
    expect(places.filter((place) => place === '/').length).toBeLessThanOrEqual(4);
    expect(places.at(-1)).toBe('/#/signed-out/uninvited');
  });

  it('is in the audit log', async () => {
    const { entries } = (await service.client.get('/audit?limit=100')).json() as {
      entries: { action: string; outcome: string; person: string | null }[];
    };
    const signIns = entries.filter(({ action }) => action === 'session.sign_in');
    expect(new Set(signIns.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
    expect(signIns.some(({ person }) => person === 'ada')).toBe(true);
  });
});

describe('a sign-in of people who are known', () => {
  it('refuses everybody else, and gives each the role of the invitation', async () => {
    const home = await ServiceWithProvider.start({ ada: ADA, eve: { name: 'Eve' } }, {});
    const { provider, service, url } = home;
    const ada = { name: 'Ada', scopes: ['read', 'write'], end_user_id: 'ada' };
    expect((await service.client.post('/people', { people: [ada] })).status).toBe(200);
    const scopes: string[][] = [];
    const places: string[] = [];
    for (const account of ['ada', 'eve']) {
      const at = new BrowserCookies(url);
      const location = (await at.get('/session/start')).headers.get('location') ?? '';
      const { pathname, search } = new URL(await provider.signIn(location, account));
      places.push((await at.get(pathname + search)).headers.get('location') ?? '');
      scopes.push(((await at.get('/session')).json() as Session).scopes);
    }
    expect(places).toEqual([`${url}/`, `${url}/#/signed-out/uninvited`]);
    expect(scopes).toEqual([['read', 'write'], []]);
    expect((await service.client.get('/people/ada')).json()).toMatchObject({ scopes: scopes[0] });
    await home.stop();
  });
});
