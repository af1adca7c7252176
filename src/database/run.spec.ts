import sql from 'sql-template-tag';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { createServerDatabase, serverUrl } from '../../test/support/server-database.js';
import { Random } from '../../test/support/random.js';
import { runInContext } from '../request/request-context.js';
import { Database } from './data-source.js';
import { read } from './run.js';
import { pause, until } from '../../test/support/until.js';

/** Runs a test only on a server, because the embedded database cannot cancel a statement. */
const itOnServer = serverUrl === undefined ? it.skip : it;

describe('read', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  const one = sql`select 1 as one`;

  it('returns the rows, inside and outside a request', async () => {
    expect(await read(database.dataSource, one)).toEqual([{ one: 1 }]);
    const { signal } = new AbortController();
    expect(await runInContext(signal, () => read(database.dataSource, one))).toEqual([{ one: 1 }]);
  });

  it('applies settings to one statement only, also to one that fails', async () => {
    const setting = sql`select current_setting('enable_hashjoin') as value`;
    const off = { enable_hashjoin: 'off' };
    const { signal } = new AbortController();
    const inRequest = <T>(work: () => Promise<T>): Promise<T> => runInContext(signal, work);
    for (const within of [inRequest, <T>(work: () => Promise<T>) => work()]) {
      expect(await within(() => read(database.dataSource, setting, off))).toEqual([{ value: 'off' }]);
      expect(await read(database.dataSource, setting)).toEqual([{ value: 'on' }]);
      await expect(within(() => read(database.dataSource, sql`select 1 / 0`, off))).rejects.toThrow(
        'division by zero',
      );
      expect(await read(database.dataSource, setting)).toEqual([{ value: 'on' }]);
    }
  });

  it('does not start for an aborted request and rejects when the request aborts meanwhile', async () => {
    const leaving = new AbortController();
    const slow = runInContext(leaving.signal, async () => {
      await read(database.dataSource, sql`select pg_sleep(2)`);
      throw new Error('continued');
    });
    await pause(50, 'the statement begins');
    leaving.abort(new Error('left'));
    await expect(slow).rejects.toThrow('left');
    const refused = runInContext(leaving.signal, () =>
      read(database.dataSource, sql`create table begun_all_the_same (id integer)`),
    );
    await expect(refused).rejects.toThrow('left');
    const [row] = await database.dataSource.query<{ made: string | null }[]>(
      "select to_regclass('begun_all_the_same') as made",
    );
    expect(row).toEqual({ made: null });
  });

  itOnServer('cancels the statement (needs DATABASE_URL)', async () => {
    const sleeping = async (): Promise<number> => {
      const rows = await database.dataSource.query<object[]>(
        "select 1 from pg_stat_activity where query like 'select pg_sleep(61)%' and state = 'active'",
      );
      return rows.length;
    };
    const leaving = new AbortController();
    const slow = runInContext(leaving.signal, () => read(database.dataSource, sql`select pg_sleep(61)`));
    const left = expect(slow).rejects.toThrow('left');
    await until('the statement runs', async () => (await sleeping()) > 0);
    leaving.abort(new Error('left'));
    await left;
    expect(await sleeping()).toBe(0);
  });

  itOnServer('never cancels the next statement of its connection (needs DATABASE_URL)', async () => {
    const alone = await createServerDatabase(serverUrl ?? '');
    const dataSource = new Database({ url: alone.url, poolSize: 1 });
    await dataSource.initialize();
    const random = new Random(3);
    let cancelled = 0;
    for (let round = 0; round < 200; round += 1) {
      const leaving = new AbortController();
      const reading = runInContext(leaving.signal, () => read(dataSource, sql`select pg_sleep(0.004)`));
      const outcome = reading.catch(() => (cancelled += 1));
      await pause(random.below(9), 'the moment of a disconnect');
      leaving.abort(new Error('left'));
      expect(await dataSource.query('select pg_sleep(0.002), 1 as one')).toMatchObject([{ one: 1 }]);
      await outcome;
    }
    expect(cancelled).toBeGreaterThan(20);
    expect(cancelled).toBeLessThan(200);
    await dataSource.destroy();
    await alone.drop();
  });
});
