import pg from 'pg';
import type { CallOptions } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { onServer } from '../support/server-database.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

// The embedded database cannot cancel a statement.
onServer('a client that leaves during a slow search (needs DATABASE_URL)', () => {
  let service: Service;
  let observer: pg.Client;
  let blocker: pg.Client;
  beforeAll(async () => {
    // Without a cancellation the statement would wait for longer than a test may take.
    service = await Service.start({ DATABASE_STATEMENT_TIMEOUT_MS: '600000' });
    const connected = async () => {
      const client = new pg.Client({ connectionString: service.environment['DATABASE_URL'] });
      await client.connect();
      return client;
    };
    [observer, blocker] = await Promise.all([connected(), connected()]);
    await new Documents(() => service.client).ingestText('The lantern burns whale oil.');
  });
  afterAll(async () => {
    await Promise.all([observer.end(), blocker.end()]);
    await service.stop();
  });

  /** Counts the service's statements that wait for the lock. */
  const running = async (): Promise<number> => {
    const { rows } = await observer.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and wait_event_type = 'Lock'`,
    );
    return rows[0]?.count ?? 0;
  };

  it.each(['/retrieve/chunks', '/retrieve/chunks/grouped', '/query'])(
    'has its statement cancelled, on %s',
    async (path) => {
      const ask = (options: CallOptions = {}) =>
        service.client.post(path, { query: `What does the lantern of ${path} burn?` }, options);
      await blocker.query('begin');
      await blocker.query('lock table chunks in access exclusive mode');
      const client = new AbortController();
      const left = expect(ask({ signal: client.signal })).rejects.toThrow();
      await until('the statement runs', async () => (await running()) > 0);
      client.abort();
      await left;
      await until('the statement is cancelled', async () => (await running()) === 0);
      await blocker.query('rollback');
      expect((await ask()).status).toBe(200);
    },
  );
});
