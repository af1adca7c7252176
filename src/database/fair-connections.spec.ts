import { onServer, createServerDatabase, serverUrl } from '../../test/support/server-database.js';
import { until } from '../../test/support/until.js';
import { runInRequest, type Caller } from '../request/request-context.js';
import { Database } from './data-source.js';
import { FairConnections } from './fair-connections.js';

const caller = (name: string): Caller => ({ name, connections: 0 });

/** Connections that are given out when asked for. */
class Lender {
  readonly connections: FairConnections;
  /** Names of those that hold a connection, and how to give it back. */
  readonly held: [name: string, giveBack: () => void][] = [];

  constructor(poolSize: number, waitMs = 0) {
    this.connections = new FairConnections(poolSize, waitMs);
  }

  async take(who: Caller, signal?: AbortSignal): Promise<void> {
    const [name, giveBack] = await this.connections.take(who, () => Promise.resolve(who.name), signal);
    this.held.push([name, giveBack]);
  }

  /** @returns names of those that hold a connection, after all promises have settled */
  async names(): Promise<string[]> {
    await new Promise(setImmediate);
    return this.held.map(([name]) => name);
  }

  giveBack(name: string): void {
    const [[, giveBack] = []] = this.held.splice(
      this.held.findIndex(([one]) => one === name),
      1,
    );
    giveBack?.();
  }
}

describe('FairConnections', () => {
  it('gives one who is alone all connections', async () => {
    const lender = new Lender(8);
    for (let n = 0; n < 8; n += 1) void lender.take(caller('a'));
    expect(await lender.names()).toHaveLength(8);
  });

  it('lets requests of a caller wait beyond a quarter while others are there, in order', async () => {
    const lender = new Lender(8);
    await lender.take(caller('b'));
    const order: number[] = [];
    for (let n = 0; n < 5; n += 1) void lender.take(caller('a')).then(() => order.push(n));
    void lender.take(caller('c'));
    expect((await lender.names()).sort()).toEqual(['a', 'a', 'b', 'c']);
    lender.giveBack('a');
    expect((await lender.names()).sort()).toEqual(['a', 'a', 'b', 'c']);
    for (let n = 0; n < 4; n += 1) {
      lender.giveBack('a');
      await lender.names();
    }
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect((await lender.names()).sort()).toEqual(['b', 'c']);
  });

  it('does not let a request wait for itself', async () => {
    const lender = new Lender(8);
    await lender.take(caller('b'));
    const [one, two] = [caller('a'), caller('a')];
    for (const request of [one, two]) await lender.take(request);
    for (const request of [one, two]) await lender.take(request);
    expect((await lender.names()).sort()).toEqual(['a', 'a', 'a', 'a', 'b']);
  });

  it('lets those wait no more that are alone again', async () => {
    const lender = new Lender(4);
    await lender.take(caller('b'));
    for (let n = 0; n < 3; n += 1) void lender.take(caller('a'));
    expect((await lender.names()).sort()).toEqual(['a', 'b']);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
    lender.giveBack('a');
    expect((await lender.names()).sort()).toEqual(['a', 'a', 'b']);
    jest.restoreAllMocks();
  });

  it('gives the place of a request to the next if its client is gone', async () => {
    const lender = new Lender(4);
    await lender.take(caller('b'));
    await lender.take(caller('a'));
    const gone = new AbortController();
    const outcome = lender.take(caller('a'), gone.signal).catch((error: unknown) => error);
    void lender.take(caller('a'));
    const reason = new Error('gone');
    gone.abort(reason);
    expect(await outcome).toBe(reason);
    lender.giveBack('a');
    expect((await lender.names()).sort()).toEqual(['a', 'b']);
  });

  it('keeps no place for a connection that failed', async () => {
    const { connections, ...lender } = new Lender(4);
    await connections.take(caller('b'), () => Promise.resolve());
    const down = new Error('down');
    for (let n = 0; n < 3; n += 1) {
      await expect(connections.take(caller('a'), () => Promise.reject(down))).rejects.toBe(down);
    }
    expect(lender.held).toEqual([]);
    await connections.take(caller('a'), () => Promise.resolve());
  });

  it('hands a request that has waited long to the pool, which has a deadline of its own', async () => {
    const lender = new Lender(4, 20);
    await lender.take(caller('b'));
    await lender.take(caller('a'));
    await lender.take(caller('a'));
    expect((await lender.names()).sort()).toEqual(['a', 'a', 'b']);
  });
});

onServer('the connections of a data source (needs DATABASE_URL)', () => {
  let database: Database;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const made = await createServerDatabase(serverUrl ?? '');
    drop = () => made.drop();
    database = await new Database({ url: made.url, poolSize: 4 }).initialize();
  });
  afterAll(async () => {
    await database.destroy();
    await drop();
  });

  it('are left to others by one with many long statements, also in transactions', async () => {
    const ask = (name: string, work: () => Promise<unknown>) => runInRequest(undefined, work, name);
    await ask('other', () => database.query('select 1'));
    let ended = 0;
    const long = Array.from({ length: 6 }, (_, n) =>
      ask('flood', () =>
        n % 2 === 0
          ? database.query('select pg_sleep(0.2)')
          : database.transaction((manager) => manager.query('select pg_sleep(0.2)')),
      ).then(() => (ended += 1)),
    );
    await until('one of them runs', async () => {
      const [row] = await ask('other', () =>
        database.query(
          `select count(*)::integer as count from pg_stat_activity
           where datname = current_database() and query like '%pg_sleep(0.2)%' and state = 'active' and pid <> pg_backend_pid()`,
        ),
      ).then((rows) => rows as { count: number }[]);
      expect(row?.count).toBeLessThanOrEqual(1);
      return ended === 6;
    });
    await Promise.all(long);
  });
});
