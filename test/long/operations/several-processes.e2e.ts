import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../support/client.js';
import { ServiceProcess } from '../../support/process.js';
import { onServer } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

const LIMIT = 60;

interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

// The embedded database allows one process: this spec needs DATABASE_URL.
onServer('three processes over one PostgreSQL', () => {
  let first: Service;
  let others: ServiceProcess[];
  let folders: string[];
  let urls: string[];
  beforeAll(async () => {
    first = await Service.start({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
    folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'lectern-e2e-'))));
    others = folders.map((folder) => ServiceProcess.spawn({ ...first.environment, DATA_DIR: folder }));
    urls = [first.url, ...(await Promise.all(others.map((process) => process.url())))];
  });
  afterAll(async () => {
    await Promise.all(others.map((process) => process.kill('SIGTERM')));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    await first.stop();
  });

  const clients = (key: string): Client[] => urls.map((url) => new Client(url, key));
  const statuses = (key: string): Promise<number[]> =>
    Promise.all(clients(key).map(async (client) => (await client.get('/usage/app-storage')).status));
  const issue = async (more: object = {}): Promise<IssuedKey> =>
    (
      await first.client.post('/keys', { name: 'test', scopes: ['admin'], app_id: 'acme', ...more })
    ).json() as IssuedKey;
  /** Repeats a request in all processes, which cache the key briefly, until each rejects it. */
  const untilRefused = async (key: string): Promise<void> => {
    const since = performance.now();
    await until('every process refuses the key', async () => {
      const begun = performance.now();
      if ((await statuses(key)).every((status) => status === 401)) return true;
      // A request later than a second after the change must be rejected.
      expect(begun - since).toBeLessThan(1_000);
      return false;
    });
  };

  it('accept a new key at once in every process', async () => {
    expect(await statuses((await issue()).key)).toEqual([200, 200, 200]);
  });

  it('reject a key within a second after another process revoked it', async () => {
    const { id, key } = await issue();
    expect(await statuses(key)).toEqual([200, 200, 200]);
    expect((await first.client.delete(`/keys/${id}?app_id=acme`)).status).toBe(200);
    await untilRefused(key);
  });

  it('reject rotated keys within a second', async () => {
    const [one, two] = [await issue({ app_id: 'rotated' }), await issue({ app_id: 'rotated' })];
    expect(await statuses(one.key)).toEqual([200, 200, 200]);
    expect(await statuses(two.key)).toEqual([200, 200, 200]);
    const answer = await first.client.post('/apps/rotate_token?app_id=rotated');
    await Promise.all([one, two].map(({ key }) => untilRefused(key)));
    const [, key = ''] =
      /:([\w.-]+)@/.exec((answer.json() as { uri: string }).uri.replace('morphik://', '')) ?? [];
    expect(await statuses(key)).toEqual([200, 200, 200]);
  });

  it('reject the keys of a tenant deleted by another process', async () => {
    const { key } = await issue({ app_id: 'deleted' });
    expect(await statuses(key)).toEqual([200, 200, 200]);
    expect((await first.client.delete('/apps?app_name=deleted')).status).toBe(200);
    await untilRefused(key);
  });

  it('share one rate limit per key', async () => {
    const { key } = await issue({ app_id: 'limited' });
    const all = clients(key);
    const answers: { status: number; retryAfter: string | null }[] = [];
    for (let round = 0; round < LIMIT; round += 1) {
      answers.push(
        ...(await Promise.all(
          all.map(async (client) => {
            const { status, headers } = await client.get('/usage/app-storage');
            return { status, retryAfter: headers.get('retry-after') };
          }),
        )),
      );
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2 * LIMIT);
    for (const { retryAfter } of refused) {
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    }
    // Another key of the tenant has its own limit.
    expect(await statuses((await issue({ app_id: 'limited' })).key)).toEqual([200, 200, 200]);
  });
});
