import { ServiceProcess, type Ended } from '../../support/process.js';
import { serverUrl } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('lectern keys beside a running service', () => {
  let service: Service;
  const keys = (...args: readonly string[]): Promise<Ended> => {
    const environment = { ...service.environment, PORT: new URL(service.url).port };
    return ServiceProcess.spawn(environment, 'dist/cli/lectern.js', ['keys', ...args]).end();
  };

  beforeAll(async () => {
    service = await Service.start();
    await service.client.post('/cloud/generate_uri', { name: 'acme', app_id: 'acme' });
  });
  afterAll(() => service.stop());

  it('creates, lists and revokes a key of any tenant', async () => {
    const made = await keys(
      ...['create', '--name', 'reader', '--scopes', 'read,query', '--app', 'acme', '--expires', '30d'],
      ...['--end-user', 'ann', '--network', '127.0.0.0/8'],
    );
    const [, id, key] = /^Key (\S+) for tenant acme; .*\n(\S+)$/.exec(made.output) ?? [];
    expect([made.code, typeof key]).toEqual([0, 'string']);
    const search = () => service.as(key!).post('/retrieve/chunks', { query: 'lamp', end_user_id: 'ann' });
    expect((await search()).status).toBe(200);

    expect((await keys('list')).output).not.toContain(id);
    const listed = await keys('list', '--app', 'acme');
    expect(listed.output).toMatch(new RegExp(`^${id!}  read,query  expires \\S+Z  reader  of ann$`, 'm'));

    expect((await keys('revoke', id!, '--app', 'acme')).output).toBe(`Key ${id!} revoked`);
    expect((await keys('list', '--app', 'acme')).output).toContain(`${id!}  read,query  revoked  reader`);
    await until('the key is refused', async () => (await search()).status !== 200);
  });

  it('makes no tenant for a mistyped --app, beside the service and on its database', async () => {
    const refused = [1, expect.stringMatching(/^There is no tenant "acmee": /)];
    const made = await keys('create', '--name', 'k', '--scopes', 'read', '--app', 'acmee');
    expect([made.code, made.output]).toEqual(refused);
    await service.terminate();
    const alone = await keys('create', '--name', 'k', '--scopes', 'read', '--app', 'acmee');
    expect([alone.code, alone.output]).toEqual(refused);
    await service.restart();
  });

  it('says why it cannot', async () => {
    const unknown = await keys('revoke', 'nonsense');
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('not found')]);
  });
});

describe('lectern keys without a working admin key', () => {
  let service: Service;
  const lectern = (
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended> =>
    ServiceProcess.spawn(
      { ...service.environment, PORT: new URL(service.url).port, ADMIN_KEY: '', ...environment },
      'dist/cli/lectern.js',
      args,
    ).end();
  const create = ['keys', 'create', '--name', 'admin', '--scopes', 'admin'];

  beforeAll(async () => {
    service = await Service.start({ ADMIN_KEY: '' });
  });
  afterAll(() => service.stop());

  /** Whether the commands of this machine reach the service with the key in the file. */
  const searches = async (): Promise<number | null> => (await lectern(['search', 'lamp'])).code;

  it('replaces the dead key in DATA_DIR, so that the commands work again', async () => {
    expect(await searches()).toBe(0);
    const listed = await lectern(['keys', 'list']);
    const id = listed.output.split(' ', 1)[0] ?? '';
    expect((await lectern(['keys', 'revoke', id])).code).toBe(0);
    while ((await searches()) === 0) continue;
    const first = await lectern(create);
    if (serverUrl === undefined) {
      // The service holds the embedded database.
      expect([first.code, first.output]).toEqual([
        1,
        expect.stringMatching(
          /^The running service rejects the admin key .*\. Stop the service and run this command again/,
        ),
      ]);
      expect(first.output).not.toContain('\n');
      await service.terminate();
      expect((await lectern(create)).output).toContain('it replaces the key in');
      await service.restart();
    } else {
      expect(first.output).toContain('it replaces the key in');
    }
    expect(await searches()).toBe(0);
  });

  it('names PORT if no service answers there while one has the folder open', async () => {
    if (serverUrl !== undefined) return;
    const { code, output } = await lectern(create, { PORT: '9' });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^DATA_DIR \S+ is in use by process .*\. If it is the service, set PORT to its port, because no service answers at \S+$/,
      ),
    ]);
    const doctor = await lectern(['doctor'], { PORT: '9' });
    expect(doctor.output).toMatch(/^warn {2}database .* in use: .*set PORT to its port/m);
  });

  it('prints no key that the service would reject because of another JWT_SECRET', async () => {
    await service.terminate();
    const other = { JWT_SECRET: 'another-secret-of-more-than-thirty-two-bytes' };
    const { code, output } = await lectern(create, other);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^The service would reject the key, because it last started with another JWT_SECRET: set JWT_SECRET/,
      ),
    ]);
    await service.restart(other);
    expect(service.output).toContain('JWT_SECRET is not that of the last start');
    expect(service.output).toContain('lectern keys create --name admin --scopes admin');
    await service.terminate();
    expect((await lectern(create, other)).code).toBe(0);
    await service.restart(other);
    expect((await lectern(['search', 'lamp'], other)).code).toBe(0);
  });
});
