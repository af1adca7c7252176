import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { onServer } from '../../test/support/server-database.js';
import { isEmbedded } from './data-source.js';
import { changeSchema, migrate } from './migrate.js';
import type { DescribedMigration } from './migrations/described-migration.js';
import { migrations } from './migrations/index.js';

describe('schema changes', () => {
  let database: TestDatabase;
  const said = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  beforeEach(() => said.mockClear());
  afterAll(() => database.close());

  const lines = (): string[] => said.mock.calls.map(([line]) => String(line));

  it('log the number, count, name and purpose of each migration', async () => {
    const { dataSource } = database;
    const described = dataSource.migrations as DescribedMigration[];
    const ran: string[] = [];
    for (const migration of described) {
      jest.spyOn(migration, 'up').mockImplementation(() => {
        ran.push(migration.constructor.name);
        return Promise.resolve();
      });
    }
    await dataSource.query('drop schema public cascade');
    await dataSource.query('create schema public');
    await migrate(dataSource);
    expect(ran).toEqual(migrations.map(({ name }) => name));
    expect(lines()).toEqual([
      ...described.map(
        ({ about, constructor }, index) =>
          `Migration ${index + 1} of ${migrations.length}, ${constructor.name}: ${about}`,
      ),
      'The schema is up to date',
    ]);
    said.mockClear();
    await migrate(dataSource);
    expect(lines()).toEqual([]);
  });

  it('log their progress every ten seconds, on a server with the running statement', async () => {
    const { dataSource } = database;
    await changeSchema(dataSource, (manager) =>
      isEmbedded(dataSource)
        ? new Promise((resolve) =>
            said.mockImplementation(() => {
              resolve();
            }),
          )
        : manager.query('select pg_sleep(12)'),
    );
    expect(lines()).toEqual([
      isEmbedded(dataSource)
        ? 'Still changing the schema after 10 s'
        : 'Still changing the schema after 10 s: select pg_sleep(12)',
    ]);
  }, 30_000);

  onServer('on a server', () => {
    it('end together with their process, even within a statement', async () => {
      let interval: unknown;
      await changeSchema(database.dataSource, async (manager) => {
        [interval] = await manager.query<unknown[]>('show client_connection_check_interval');
      });
      expect(interval).toEqual({ client_connection_check_interval: '10s' });
    });
  });
});
