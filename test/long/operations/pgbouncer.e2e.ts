import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { HealthDto } from '../../../src/operations/health/health.dto.js';
import { Database } from '../../../src/database/data-source.js';
import { Client } from '../../support/client.js';
import { onPgBouncer, PgBouncer } from '../../support/pgbouncer.js';
import { ServiceProcess } from '../../support/process.js';
import { createServerDatabase, serverUrl, type ServerDatabase } from '../../support/server-database.js';
import { until } from '../../support/until.js';

/** The advisory lock of schema changes. */
const SCHEMA_LOCK = 0x6c656374;

onPgBouncer('behind PgBouncer in transaction mode', () => {
  let database: ServerDatabase;
  let observer: pg.Client;
  let folder: string;
  let bouncer: PgBouncer | undefined;
  let processes: ServiceProcess[];
  beforeEach(async () => {
    processes = [];
    folder = await mkdtemp(join(tmpdir(), 'lectern-pgbouncer-data-'));
    database = await createServerDatabase(serverUrl ?? '');
    observer = new pg.Client({ connectionString: database.url });
    await observer.connect();
  });
  afterEach(async () => {
    for (const process of processes) await process.kill('SIGKILL');
    await observer.end();
    await bouncer?.stop();
    bouncer = undefined;
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const through = async (environment: Readonly<Record<string, string>> = {}): Promise<string> => {
    bouncer = await PgBouncer.start(database.url, environment);
    return bouncer.url;
  };
  const ADMIN_KEY = randomBytes(24).toString('base64url');
  const JWT_SECRET = randomBytes(48).toString('base64url');
  const spawn = (url: string, more: Readonly<Record<string, string>> = {}): ServiceProcess => {
    const environment = { DATA_DIR: folder, PORT: '0', ADMIN_KEY, JWT_SECRET, DATABASE_URL: url };
    const process = ServiceProcess.spawn({ ...environment, ...more });
    processes.push(process);
    return process;
  };
  const clientOf = async (process: ServiceProcess): Promise<Client> =>
    new Client(await process.url(), ADMIN_KEY);
  const waitingForLocks = async (): Promise<number> => {
    const { rows } = await observer.query<object>(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };

  it('three processes start concurrently, repeatedly, and leave no lock', async () => {
    const url = await through();
    for (let round = 0; round < 2; round += 1) {
      const started = [1, 2, 3].map(() => spawn(url));
      for (const process of started)
        expect((await (await clientOf(process)).get('/health')).status).toBe(200);
      const { rows } = await observer.query<object>(
        `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows).toEqual([]);
      for (const process of started) expect(await process.kill('SIGTERM')).toMatchObject({ code: 0 });
    }
  });

  it('a start that waits for another one logs it, and continues afterwards', async () => {
    const url = await through();
    await observer.query('begin');
    await observer.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const process = spawn(url);
    await process.printed('Waiting for another process that is changing the schema');
    await until('a statement waits for the lock', async () => (await waitingForLocks()) > 0);
    await observer.query('commit');
    expect((await (await clientOf(process)).get('/health/ready')).status).toBe(200);
  });

  it('a statement past its deadline is cancelled on the server, and the connection stays usable', async () => {
    const client = await clientOf(spawn(await through(), { DATABASE_STATEMENT_TIMEOUT_MS: '500' }));
    await observer.query('begin');
    await observer.query('lock table documents in access exclusive mode');
    const { status, headers } = await client.post('/documents', {});
    expect([status, Number(headers.get('retry-after'))]).toEqual([504, 5]);
    await until('no statement waits for the lock', async () => (await waitingForLocks()) === 0);
    await observer.query('rollback');
    expect((await client.post('/documents', {})).status).toBe(200);
  });

  it('every transaction has its deadlines, and no connection keeps them', async () => {
    const source = new Database({ url: await through(), poolSize: 1 }, [], {
      connectMs: 5_000,
      statementMs: 7_000,
    });
    await source.initialize();
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const settings = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
    try {
      expect(await source.transaction((manager) => manager.query(settings))).toEqual([
        { statement_timeout: '7s', lock_timeout: '7s', idle_in_transaction_session_timeout: '30s' },
      ]);
      expect(await source.query(settings)).toEqual([
        { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' },
      ]);
    } finally {
      await source.destroy();
    }
  });

  it('search settings lost by the pooler are reported by /health', async () => {
    const client = await clientOf(spawn(await through({ LECTERN_PGBOUNCER_CONNECT_QUERY: 'select 1' })));
    const { services } = (await client.get('/health')).json() as HealthDto;
    expect(services.find(({ name }) => name === 'settings')).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('hnsw.iterative_scan is ') as unknown,
    });
  });

  it('a pooler that rejects the settings fails the start with a remedy', async () => {
    const url = await through({ LECTERN_PGBOUNCER_SETTINGS: 'ignore_startup_parameters =' });
    const { code, output } = await spawn(url).end();
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^DATABASE_URL: the pooler at 127\.0\.0\.1:\d+\/lectern_test_\w+ rejects the connection settings \(unsupported startup parameter: options\): set ignore_startup_parameters = options there, and apply the settings in docs\/operate\/scale\.md$/,
      ),
    ]);
  });
});
