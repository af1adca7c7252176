import type { DataSource, EntityManager } from 'typeorm';
import { copyMigrated } from '../../test/support/migrated-folder.js';
import { createServerDatabase, onServer, serverUrl } from '../../test/support/server-database.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInContext, runInRequest } from '../request/request-context.js';
import { Database } from './data-source.js';
import { withLongerDeadline } from './deadline.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { databaseFailure } from './failures.js';
import { changeSchema } from './migrate.js';
import { until } from '../../test/support/until.js';

const DEADLINES = { connectMs: 1_000, statementMs: 300 };
/** A statement that exceeds the deadline. */
const SLOW = 'select pg_sleep(0.6)';

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => databaseFailure(error)?.message ?? String(error),
  );

const maintenance = (dataSource: DataSource, statement: string) =>
  changeSchema(dataSource, async (manager) => {
    await manager.query(statement);
  });

onServer('ServerClient (needs DATABASE_URL)', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createServerDatabase(serverUrl ?? '');
    drop = () => database.drop();
    dataSource = await new Database({ url: database.url, poolSize: 2 }, [], DEADLINES).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  it('cancels a statement beyond its deadline and stays usable', async () => {
    expect(await outcome(dataSource.query(SLOW))).toBe('The database took too long for a statement');
    expect(await outcome(dataSource.query('select 1'))).toBe('done');
  });

  it('extends the deadline for longer work within its transaction only', async () => {
    const work = dataSource.transaction((manager) =>
      withLongerDeadline(manager, 5_000, () => manager.query(SLOW)),
    );
    expect(await outcome(work)).toBe('done');
    expect(await outcome(dataSource.query(SLOW))).not.toBe('done');
  });

  it('lifts the deadline for maintenance only', async () => {
    expect(await outcome(maintenance(dataSource, SLOW))).toBe('done');
    expect(await outcome(dataSource.query(SLOW))).not.toBe('done');
  });

  it('cancels statements of a request that together exceed its deadline, and no others', async () => {
    const nap = () => outcome(dataSource.query('select pg_sleep(0.1)'));
    const naps = async () => {
      const outcomes = [];
      for (let n = 0; n < 16; n += 1) outcomes.push(await nap());
      return outcomes;
    };
    const tooLong = 'The database took too long for a statement';
    const ended = await runInRequest(undefined, naps);
    expect(ended.slice(0, 4)).toEqual(Array(4).fill('done'));
    expect(ended.slice(-1)).toEqual([tooLong]);
    expect(await runInContext(undefined, naps)).toEqual(Array(16).fill('done'));
    expect(await nap()).toBe('done');
  });

  it('extends the deadline of a request for longer work, and rolls back work beyond it', async () => {
    const work = runInRequest(undefined, () =>
      dataSource.transaction(async (manager) => {
        await withLongerDeadline(manager, 1_000, async () => {
          for (let n = 0; n < 3; n += 1) await manager.query('select pg_sleep(0.6)');
        });
        for (let n = 0; n < 6; n += 1) await manager.query('select pg_sleep(0.2)');
      }),
    );
    expect(await outcome(work)).toBe('The database took too long for a statement');
    const { length } = await dataSource.query<object[]>(
      `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    );
    expect(length).toBe(0);
  });

  it('reports a connection lost between two statements of a transaction as an unreachable database', async () => {
    const losing = async (statement: (manager: EntityManager) => Promise<unknown>) => {
      const work = dataSource.transaction(async (manager) => {
        const [row] = await manager.query<{ pid: number }[]>('select pg_backend_pid() as pid');
        await dataSource.query('select pg_terminate_backend($1)', [row?.pid]);
        await until('the connection is released', () => !(manager.queryRunner?.isReleased === false));
        return statement(manager);
      });
      return outcome(work);
    };
    const unreachable = 'The database is not reachable';
    expect(await losing((manager) => manager.query('select 1'))).toBe(unreachable);
    expect(
      await losing((manager) => manager.createQueryBuilder().select('1').from('pg_class', 'c').getRawMany()),
    ).toBe(unreachable);
    expect(await losing(() => Promise.resolve())).toBe(unreachable); // the COMMIT
    expect(await outcome(dataSource.query('select 1'))).toBe('done');
  });

  it('limits the wait for a connection', async () => {
    const held = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
    await Promise.all(held.map((runner) => runner.connect()));
    expect(await outcome(dataSource.query('select 1'))).toBe(
      'No connection to the database was free in time',
    );
    await Promise.all(held.map((runner) => runner.release()));
    expect(await outcome(dataSource.query('select 1'))).toBe('done');
  });
});

describe('EmbeddedClient', () => {
  let dataSource: DataSource;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-test-'));
    await copyMigrated(folder);
    const embedded = await startEmbeddedPostgres(folder);
    const home = { socketDir: embedded.socketDir };
    // The start is slow on a busy machine, and must not count against the statement deadline.
    dataSource = await new Database(home, [], { connectMs: 30_000, statementMs: 500 }).initialize();
    close = async () => {
      await dataSource.destroy();
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    };
  }, 60_000);
  afterAll(() => close());

  /** A statement of about two seconds. It does not use pg_sleep, which has no effect on the embedded database. */
  const WORK = 'select count(*) from generate_series(1, 6000000) as n where n % 7 = 3';
  const BUSY = 'The database is busy with a statement beyond its deadline';

  const idle = async () => {
    await until(
      'the database answers again',
      async () => (await outcome(dataSource.query('select 1'))) === 'done',
    );
  };

  it('reports a statement beyond its deadline and rejects others until it ends', async () => {
    const slow = outcome(dataSource.query(WORK));
    const queued = outcome(dataSource.query('select 1'));
    expect(await slow).toBe('The database took too long for a statement');
    expect(await queued).toBe(BUSY);
    await idle();
    expect(await outcome(dataSource.query('select 1'))).toBe('done');
  });

  it('rolls back a transaction with a statement beyond its deadline', async () => {
    const work = dataSource.transaction(async (manager) => {
      await manager.query('create table begun (id integer)');
      await manager.query(WORK);
    });
    expect(await outcome(work)).toBe('The database took too long for a statement');
    expect(await outcome(dataSource.transaction((manager) => manager.query('select 1')))).toBe(BUSY);
    await idle();
    expect(await dataSource.query("select to_regclass('begun') as made")).toEqual([{ made: null }]);
    expect(await outcome(dataSource.transaction((manager) => manager.query('select 1')))).toBe('done');
  });

  it('lifts the deadline for maintenance', async () => {
    expect(await outcome(maintenance(dataSource, WORK))).toBe('done');
  });
});
