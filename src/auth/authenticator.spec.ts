import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { settingsWith } from '../../test/support/settings.js';
import { peopleWhoSignIn } from '../../test/support/people-who-sign-in.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { Authenticator, LIVENESS_TTL_MS } from './authenticator.js';
import type { Credentials } from './credentials.js';
import { KeyRepository } from './key.repository.js';
import { KeyService, type IssuedKey } from './key.service.js';
import type { Permission } from './scope.js';
import { SigningSecret } from './signing-secret.js';
import { UnfinishedRestores } from './unfinished-restores.js';
import type { AuditLog } from './audit/audit-log.js';
import { RefusalCounts } from './audit/refusal-counts.js';
import { WRONG_KEYS_PER_MINUTE, WrongKeys } from './wrong-keys.js';
import { until } from '../../test/support/until.js';

const ADDRESS = '203.0.113.7';
const ADMIN_KEY = 'kR7mP2wX9qT4vB8nL5sD';

const NO_LOG = { recordAll: () => Promise.resolve() } as unknown as AuditLog;

/** A request with an `Authorization` header. */
function sent(authorization: string | undefined, address: string): Credentials {
  const page = { method: 'GET', host: 'localhost', origin: undefined, site: undefined };
  return { authorization, session: undefined, proxy: null, address, ...page };
}

describe('Authenticator', () => {
  let database: TestDatabase;
  let keys: KeyService;
  let repository: KeyRepository;
  const secret = new SigningSecret('q8fJ2kLw0zXc5VbN7mAs9dFg1hJk3lPo');

  beforeAll(async () => {
    database = await openTestDatabase();
    repository = new KeyRepository(database.dataSource.getRepository(ApiKeyEntity));
    keys = new KeyService(repository, secret);
  }, 60_000);
  afterAll(() => database.close());

  function authenticator(environment: Record<string, string> = {}): Authenticator {
    const settings = settingsWith(environment);
    const wrongKeys = new WrongKeys(new RefusalCounts(NO_LOG));
    return new Authenticator(
      settings,
      secret,
      repository,
      wrongKeys,
      new UnfinishedRestores(database.dataSource),
      ...peopleWhoSignIn(settings, secret, repository, database.dataSource, wrongKeys),
    );
  }

  async function issue(
    permissions: readonly Permission[] = ['read'],
    appId = 'acme',
    lifetimeSeconds?: number,
  ): Promise<IssuedKey> {
    return keys.issue({ appId, name: 'test', permissions, lifetimeSeconds });
  }

  it('returns tenant, permissions and id of a key', async () => {
    const { token, stored } = await issue(['read', 'query']);
    expect(await authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS))).toEqual({
      appId: 'acme',
      groups: [],
      reach: 'all',
      shards: 1,
      permissions: new Set(['read', 'query']),
      keyId: stored.id,
      endUserId: null,
      allowance: { quotas: null, models: null, maxAnswerTokens: null },
    });
  });

  it('answers for a tenant whose restore is not finished that it goes on, not that keys were revoked', async () => {
    const { token, stored } = await issue(['read'], 'halfway');
    const state = JSON.stringify({ section: 3, tenants: { halfway: '1' } });
    await database.dataSource.query(`insert into service_state values ('restore:x', $1)`, [state]);
    const refusal = {
      status: 503,
      message: expect.stringContaining('run "lectern restore" again with the same export') as string,
    };
    await expect(authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS))).rejects.toMatchObject(
      refusal,
    );
    await database.dataSource.query('delete from api_keys where jti = $1', [stored.id]);
    await expect(authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS))).rejects.toMatchObject(
      refusal,
    );
    const { token: other } = await issue();
    await expect(authenticator().authenticate(sent(`Bearer ${other}`, ADDRESS))).resolves.toBeDefined();
    await database.dataSource.query(`delete from service_state where name = 'restore:x'`);
    await expect(authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS))).rejects.toMatchObject({
      status: 401,
    });
  });

  it("reads permissions from the key's row, not from the token", async () => {
    const { token, stored } = await issue(['admin']);
    await database.dataSource.query("update api_keys set permissions = '{read}' where jti = $1", [stored.id]);
    const { permissions } = await authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS));
    expect([...permissions]).toEqual(['read']);
  });

  it('returns the number of shards of the tenant', async () => {
    const { token } = await issue(['read'], 'large');
    await database.dataSource.query("update apps set shards = 8 where app_id = 'large'");
    const { shards } = await authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS));
    expect(shards).toBe(8);
  });

  it('issues no key for a tenant shard', async () => {
    const part = 'large\u001f1';
    await expect(issue(['read'], part)).rejects.toThrow('apps_shards_check');
    await database.dataSource.query('insert into apps (app_id, name, shards) values ($1, $1, 0)', [part]);
    await expect(issue(['read'], part)).rejects.toMatchObject({ status: 409 });
  });

  it('throttles an address after too many wrong keys but still admits valid keys', async () => {
    const { token } = await issue();
    const subject = authenticator({ ADMIN_KEY });
    const statusOf = (key: string, address = ADDRESS): Promise<unknown> =>
      subject.authenticate(sent(`Bearer ${key}`, address)).then(
        () => 200,
        (error: unknown) => (error as { status: number }).status,
      );
    const [head, claims, signature = ''] = token.split('.');
    const wrong = `${head}.${claims}.${signature.startsWith('x') ? 'y' : 'x'}${signature.slice(1)}`;
    for (let tried = 0; tried < WRONG_KEYS_PER_MINUTE; tried += 1) expect(await statusOf(wrong)).toBe(401);
    expect([await statusOf(wrong), await statusOf('garbage')]).toEqual([429, 429]);
    expect([await statusOf(token), await statusOf(ADMIN_KEY)]).toEqual([200, 200]);
    expect(await statusOf(wrong, '203.0.113.8')).toBe(401);
    // An expired key does not count as a wrong key.
    const { token: expired } = await issue(['read'], 'acme', -1);
    expect(await statusOf(expired)).toBe(401);
  });

  it('accepts the scheme in any case', async () => {
    const { token } = await issue();
    expect((await authenticator().authenticate(sent(`bearer ${token}`, ADDRESS))).appId).toBe('acme');
  });

  it('grants admin every permission', async () => {
    const { token } = await issue(['admin']);
    const { permissions } = await authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS));
    expect([...permissions].sort()).toEqual(['admin', 'query', 'read', 'write']);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'Token x'])(
    'rejects the header %j',
    async (header) => {
      await expect(authenticator().authenticate(sent(header, ADDRESS))).rejects.toMatchObject({
        status: 401,
      });
    },
  );

  it('rejects a revoked key shortly after revocation, even when it was just in use', async () => {
    const { token, stored } = await issue();
    const subject = authenticator();
    await subject.authenticate(sent(`Bearer ${token}`, ADDRESS));
    await keys.revoke({ appId: 'acme' }, stored.id);
    expect(LIVENESS_TTL_MS).toBeLessThan(1_000);
    const isRefused = (): Promise<boolean> =>
      subject.authenticate(sent(`Bearer ${token}`, ADDRESS)).then(
        () => false,
        (error: unknown) => (error as Error).message === 'The API key was revoked',
      );
    await until('the key is refused', isRefused);
  });

  it('rejects a validly signed key without a row', async () => {
    const { token, stored } = await issue();
    await database.dataSource.query('delete from api_keys where jti = $1', [stored.id]);
    await expect(authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS))).rejects.toMatchObject({
      status: 401,
    });
  });

  it('hides the keys of a tenant from other tenants', async () => {
    const { token, stored } = await issue(['read'], 'acme');
    await expect(keys.revoke({ appId: 'other' }, stored.id)).rejects.toMatchObject({ status: 404 });
    expect((await keys.list({ appId: 'other' })).map(({ id }) => id)).not.toContain(stored.id);
    expect((await authenticator().authenticate(sent(`Bearer ${token}`, ADDRESS))).appId).toBe('acme');
  });

  it('gives an unknown and a malformed key id the same error', async () => {
    for (const id of ['5513a32f-33e4-4195-b885-1fa1a71767e2', 'nonsense', '../x']) {
      await expect(keys.revoke({ appId: 'acme' }, id)).rejects.toMatchObject({ message: 'Key not found' });
    }
  });

  it('shares one database lookup between concurrent requests', async () => {
    const { token } = await issue();
    const lookedUp = jest.spyOn(repository, 'grantOf');
    const subject = authenticator();
    await Promise.all(
      Array.from({ length: 20 }, () => subject.authenticate(sent(`Bearer ${token}`, ADDRESS))),
    );
    expect(lookedUp).toHaveBeenCalledTimes(1);
    lookedUp.mockRestore();
  });

  it('grants ADMIN_KEY every permission in the default tenant', async () => {
    const subject = authenticator({ ADMIN_KEY });
    expect(await subject.authenticate(sent(`Bearer ${ADMIN_KEY}`, ADDRESS))).toMatchObject({
      appId: 'default',
      keyId: 'admin-key',
    });
    await expect(subject.authenticate(sent(`Bearer ${ADMIN_KEY}x`, ADDRESS))).rejects.toMatchObject({
      status: 401,
    });
    await expect(authenticator().authenticate(sent(`Bearer ${ADMIN_KEY}`, ADDRESS))).rejects.toMatchObject({
      status: 401,
    });
  });

  it('requires no key with AUTH_MODE=none', async () => {
    expect(await authenticator({ AUTH_MODE: 'none' }).authenticate(sent(undefined, ADDRESS))).toMatchObject({
      appId: 'default',
      keyId: 'none',
    });
  });

  it('stores nothing from which a key could be rebuilt', async () => {
    const { token, stored } = await issue();
    const [row] = await database.dataSource.query<object[]>(
      'select to_jsonb(api_keys) as row from api_keys where jti = $1',
      [stored.id],
    );
    for (const part of token.split('.')) expect(JSON.stringify(row)).not.toContain(part);
  });
});
