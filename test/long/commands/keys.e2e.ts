import { ServiceProcess, type Ended } from '../../support/process.js';
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
    expect(listed.output).toMatch(new RegExp(`^${id!}  read,query  expires \\S+Z  reader  of ann$`));

    expect((await keys('revoke', id!, '--app', 'acme')).output).toBe(`Key ${id!} revoked`);
    expect((await keys('list', '--app', 'acme')).output).toContain(`${id!}  read,query  revoked  reader`);
    await until('the key is refused', async () => (await search()).status !== 200);
  });

  it('says why it cannot', async () => {
    const unknown = await keys('revoke', 'nonsense');
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('not found')]);
  });
});
