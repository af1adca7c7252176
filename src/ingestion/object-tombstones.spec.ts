import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { settingsWith } from '../../test/support/settings.js';
import type { ObjectStore } from '../storage/object-store.js';
import { ObjectTombstones } from './object-tombstones.js';
import { until } from '../../test/support/until.js';

const HOUR = 3_600;

/** An object store whose deletions block until `goOn`. */
class SlowStore {
  readonly deleted: string[] = [];
  private answer: () => void = () => undefined;
  private readonly answers = new Promise<void>((resolve) => {
    this.answer = resolve;
  });

  unblock(): void {
    this.answer();
  }

  isChangeable(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async delete(key: string): Promise<void> {
    await this.answers;
    this.deleted.push(key);
  }
}

describe('ObjectTombstones', () => {
  let database: TestDatabase;
  let store: SlowStore;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(() => {
    store = new SlowStore();
  });
  afterEach(() => database.dataSource.query('delete from object_removals'));

  const tombstones = (environment: Readonly<Record<string, string>> = {}): ObjectTombstones =>
    new ObjectTombstones(settingsWith(environment), database.dataSource, store as unknown as ObjectStore);
  const left = async (): Promise<string[]> =>
    (await database.dataSource.query<{ key: string }[]>('select key from object_removals order by key')).map(
      ({ key }) => key,
    );

  it('delays neither the start nor the stop by more than the running deletion', async () => {
    const service = tombstones();
    await service.addAll(database.dataSource, 'a', ['one', 'two']);
    await service.onApplicationBootstrap();
    const stopped = service.beforeApplicationShutdown();
    store.unblock();
    await stopped;
    expect(store.deleted.length).toBeLessThan(2);
    expect(await left()).toHaveLength(2 - store.deleted.length);
  });

  it('sweeps due tombstones at start, and all earlier ones on the embedded database', async () => {
    store.unblock();
    const server = tombstones({ DATABASE_URL: 'postgres://elsewhere/lectern', JWT_SECRET: randomUUID() });
    await server.add({ appId: 'a', key: 'due' }, 0);
    await server.add({ appId: 'a', key: 'upload' }, HOUR);
    await server.onApplicationBootstrap();
    await until('the objects are removed', async () => (await left()).length <= 1);
    await server.beforeApplicationShutdown();
    expect(await left()).toEqual(['upload']);

    const embedded = tombstones();
    await embedded.onApplicationBootstrap();
    await embedded.add({ appId: 'a', key: 'since' }, HOUR);
    await until('the objects are removed', async () => (await left()).length <= 1);
    await embedded.beforeApplicationShutdown();
    expect(await left()).toEqual(['since']);
  });
});
