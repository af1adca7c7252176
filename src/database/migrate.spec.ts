import { Logger } from '@nestjs/common';
import { MigrationExecutor } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { onServer } from '../../test/support/server-database.js';
import { isEmbedded } from './data-source.js';
import { changeSchema, migrate } from './migrate.js';

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
    const executor = new MigrationExecutor(dataSource);
    const last = (await executor.getExecutedMigrations()).sort(
      (one, other) => other.timestamp - one.timestamp,
    );
    const ran: string[] = [];
    for (const migration of dataSource.migrations) {
      jest.spyOn(migration, 'up').mockImplementation(() => {
        ran.push(migration.constructor.name);
        return Promise.resolve();
      });
    }
    for (const migration of last.slice(0, 9)) await executor.deleteMigration(migration);
    await migrate(dataSource);
    expect(ran).toEqual([
      'Impacts1700000021000',
      'OneCollation1700000022000',
      'ReplicaIdentity1700000023000',
      'Parts1700000024000',
      'VectorStores1700000025000',
      'Responses1700000026000',
      'People1700000027000',
      'TurnEvidence1700000028000',
      'Conversations1700000029000',
    ]);
    expect(lines()).toEqual([
      expect.stringMatching(
        /^Migration 1 of 9, Impacts1700000021000: writes every chunk anew with /,
      ) as unknown,
      'Migration 2 of 9, OneCollation1700000022000: gives the tenant column one collation in all tables',
      'Migration 3 of 9, ReplicaIdentity1700000023000: lets shards of a cluster move during writes',
      'Migration 4 of 9, Parts1700000024000: lets tenants be divided into shards',
      'Migration 5 of 9, VectorStores1700000025000: creates the tables of uploaded files, vector stores and their files',
      'Migration 6 of 9, Responses1700000026000: creates the table of stored responses',
      'Migration 7 of 9, People1700000027000: lets keys belong to end users, and chats to keys',
      'Migration 8 of 9, TurnEvidence1700000028000: keeps the citations and sources of answers in chats',
      'Migration 9 of 9, Conversations1700000029000: creates the tables of conversations and their items',
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
