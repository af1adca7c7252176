import { SignJWT } from 'jose';
import { Documents } from '../support/documents.js';
import { AUDIENCE, TestIdentityProvider } from '../support/identity-provider/identity-provider.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const ACCOUNTS = {
  ada: { name: 'Ada Lovelace', groups: ['engines'], roles: [] },
  bob: { name: 'Bob', groups: [], roles: ['lectern-admin'] },
};
const QUESTION = { query: 'Where is the boat?', k: 20, min_score: 0 };

describe('access tokens of an identity provider', () => {
  let provider: TestIdentityProvider;
  let service: Service;

  const namesOf = async (token: string): Promise<string[]> => {
    const answer = await service.as(token).post('/retrieve/chunks', QUESTION);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return (answer.json() as { filename: string }[]).map(({ filename }) => filename).sort();
  };
  const refusal = async (token: string): Promise<[number, string | null]> => {
    const answer = await service.as(token).post('/retrieve/chunks', QUESTION);
    return [answer.status, answer.headers.get('www-authenticate')];
  };
  const unsafe = (header: object, claims: object): string =>
    [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

  beforeAll(async () => {
    provider = await TestIdentityProvider.start(ACCOUNTS);
    service = await Service.start({
      OIDC_ISSUER: provider.issuer,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_REQUIRED_SCOPE: 'docs.read',
      OIDC_SCOPE_MAP: 'docs.read=read,docs.ask=query,docs.write=admin',
      OIDC_ADMINS_CLAIM: 'roles',
      SIGN_IN_ADMINS: 'lectern-admin',
      CORS_ORIGINS: 'https://app.example',
    });
    const documents = new Documents(() => service.client);
    await documents.ingestText('The boat is in the harbour.', { filename: 'shared.txt' });
    await documents.ingestText('The boat of Ada is in the yard.', {
      filename: 'ada.txt',
      end_user_id: 'ada',
    });
    await documents.ingestText('The boat of Bob is at sea.', { filename: 'bob.txt', end_user_id: 'bob' });
    const lists = { access_control: { readers: ['group:engines'] } };
    await documents.ingestText('The boat has an engine.', { filename: 'engines.txt', ...lists });
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
  });

  it('read what their person and groups may, with the permissions of their scopes', async () => {
    const ada = await provider.accessTokenOf('ada');
    expect(await namesOf(ada)).toEqual(['ada.txt', 'engines.txt', 'shared.txt']);
    const bob = await provider.accessTokenOf('bob');
    expect(await namesOf(bob)).toEqual(['bob.txt', 'shared.txt']);
    const session = (await service.as(ada).get('/session')).json();
    expect(session).toMatchObject({
      signed_in_by: 'access token',
      name: 'Ada Lovelace',
      end_user_id: 'ada',
      groups: ['engines'],
      scopes: ['read', 'query'],
    });
    // An administrator whose token has only the scopes to read and ask is none with this token.
    expect((await service.as(bob).get('/keys')).status).toBe(403);
    const admin = await provider.accessTokenOf('bob', 'docs.read docs.write');
    expect((await service.as(admin).get('/keys')).status).toBe(200);
    // Ada is no administrator, whatever scopes her token has.
    const more = await provider.accessTokenOf('ada', 'docs.read docs.write');
    expect((await service.as(more).get('/keys')).status).toBe(403);
  });

  it('have the role of an invited person', async () => {
    const people = [{ name: 'Cleo', scopes: ['query'], end_user_id: 'cleo' }];
    expect((await service.client.post('/people', { people })).status).toBe(200);
    const cleo = service.as(await provider.sign({ sub: 'cleo' }));
    const scopes = async (): Promise<string> =>
      ((await cleo.get('/session')).json() as { scopes: string[] }).scopes.sort().join();
    expect(await scopes()).toBe('query');
    const change = await service.client.call('PATCH', '/people/cleo', {
      body: { scopes: ['read', 'query'] },
    });
    expect(change.status).toBe(200);
    await until('the new role counts', async () => (await scopes()) === 'query,read');
  });

  it('act for no other person, and belong to the groups of the tenant too', async () => {
    const ada = service.as(await provider.accessTokenOf('ada'));
    const named = await ada.post('/retrieve/chunks', { ...QUESTION, end_user_id: 'bob' });
    expect(named.status).toBe(403);
    const made = await service.client.post('/groups', { id: 'sailors', members: ['ada'] });
    expect(made.status).toBe(200);
    await until('the group counts', async () =>
      ((await ada.get('/session')).json() as { groups: string[] }).groups.includes('sailors'),
    );
  });

  it('may be sent by pages of CORS_ORIGINS, which can read why one is refused', async () => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    const preflight = await service.as(null).call('OPTIONS', '/retrieve/chunks', { headers });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const refused = await service.as('a.b.c').post('/retrieve/chunks', QUESTION, { headers });
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  it('are refused when they are forged, of others, expired, or not for this service', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: provider.issuer, aud: AUDIENCE, sub: 'ada', exp: now + 600, scope: 'docs.read' };
    const jwk = provider.publicJwk;
    const stranger = await TestIdentityProvider.start(ACCOUNTS);
    const invalid = 'Bearer error="invalid_token", error_description=';
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const tokens: [string, string, string][] = [
      ['no signature', `${unsafe({ alg: 'none' }, claims)}.`, 'The access token is not valid'],
      [
        'another key under the same id',
        await stranger.sign({ iss: provider.issuer }),
        'The access token is not valid',
      ],
      [
        'another issuer',
        await provider.sign({ iss: stranger.issuer }),
        'The access token is not valid: unexpected claim iss',
      ],
      [
        'another audience',
        await provider.sign({ aud: 'https://other.example' }),
        'The access token is not valid: unexpected claim aud',
      ],
      [
        'no expiry',
        await provider.sign({ exp: undefined }),
        'The access token is not valid: unexpected claim exp',
      ],
      ['an expired token', await provider.sign({ exp: now - 60 }), 'The access token has expired'],
      [
        'a token of the future',
        await provider.sign({ nbf: now + 600 }),
        'The access token is not valid: unexpected claim nbf',
      ],
      ['a logout token', await provider.sign({}, { typ: 'logout+jwt' }), 'The access token is not valid'],
      ['an unknown key', await provider.sign({}, { kid: 'nobody' }), 'The access token is not valid'],
      [
        'a token bound to a key',
        await provider.sign({ cnf: { jkt: 'x' } }),
        'The access token is bound to a key of its client, which this service does not check',
      ],
      [
        'no person',
        await provider.sign({ sub: 'x'.repeat(300) }),
        'The access token cannot be used: the claim sub is longer than 256 characters',
      ],
    ];
    await stranger.stop();
    for (const [what, token, reason] of tokens) {
      expect([what, await refusal(token)]).toEqual([what, [401, `${invalid}"${reason}"`]]);
    }
    // A token that claims the algorithm of our own keys, signed with the public key as the secret.
    const confused = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(secret);
    expect((await refusal(confused))[0]).toBe(401);
    expect(await refusal(await provider.sign({ scope: 'docs.ask' }))).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="docs.read"',
    ]);
  });

  it('with groups of an odd form are refused, and never count as without groups', async () => {
    for (const [groups, reason] of [
      [['x'.repeat(257)], 'is longer than 256 characters'],
      [[1], 'is not a list of texts'],
      [{ engines: true }, 'is not a list of texts'],
      [[['engines']], 'is not a list of texts'],
      [['a\u0000b'], 'contains U+0000'],
      [Array.from({ length: 1_001 }, (_, n) => `g${n}`), 'has more than 1000 values'],
    ] as const) {
      const answer = await service.as(await provider.sign({ groups })).get('/folders');
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining(reason)]);
    }
    expect(await namesOf(await provider.sign({ groups: 'engines' }))).toContain('engines.txt');
    expect(await namesOf(await provider.sign({ groups: null }))).not.toContain('engines.txt');
  });

  it('make links that work as long as the token', async () => {
    const token = await provider.accessTokenOf('ada');
    const { documents } = (await service.as(token).post('/documents', {})).json() as {
      documents?: { external_id: string; filename: string }[];
    };
    const list = documents ?? [];
    const id = list.find(({ filename }) => filename === 'ada.txt')?.external_id;
    const url = (await service.as(token).get(`/documents/${id}/download_url`)).json() as {
      download_url: string;
    };
    expect((await fetch(url.download_url)).status).toBe(200);
  });

  it('work on while the provider is down, and with a new key of the provider', async () => {
    const before = await provider.accessTokenOf('ada');
    expect(await namesOf(before)).toContain('ada.txt');
    await provider.stop();
    expect(await namesOf(before)).toContain('ada.txt');
    const unknown = service.as(await provider.sign({}, { kid: 'later' }));
    // Seldom: until the service asks the provider again, each look counts as a wrong key of this address.
    const seldom = { everyMs: 1_000 };
    await until(
      'a token with a new key waits for the provider',
      async () => {
        const answer = await unknown.get('/folders');
        return answer.status === 503 && answer.text.includes('The identity provider does not answer');
      },
      seldom,
    );
    await provider.resume();
    await provider.rotate();
    const after = await provider.accessTokenOf('ada');
    await until(
      'the new key is known',
      async () => (await service.as(after).get('/folders')).status === 200,
      seldom,
    );
    expect((await refusal(before))[0]).toBe(401);
  });
});
