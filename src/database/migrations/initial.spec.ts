import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';

const LAST = 'FairQueues1700000018000';

describe('the initial migration on an older installation', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
    await database.dataSource.query(
      `insert into migrations (timestamp, name) values
         (1700000000000, 'Initial1700000000000'), (1700000017000, 'Tenants1700000017000')`,
    );
  }, 60_000);
  afterEach(() => database.close());

  const names = async (): Promise<string[]> => {
    const rows = await database.dataSource.query<{ name: string }[]>('select name from migrations');
    return rows.map(({ name }) => name);
  };

  it('keeps the schema when all replaced migrations ran', async () => {
    const before = await names();
    expect(before).toContain(LAST);
    await migrate(database.dataSource);
    expect(await names()).toEqual(before);
  });

  it('rejects the schema when only some replaced migrations ran, and names the remedy', async () => {
    await database.dataSource.query('delete from migrations where name = $1', [LAST]);
    await expect(migrate(database.dataSource)).rejects.toThrow(
      /^The schema was left by an early version of Lectern: start commit 712f8b7 on this database once/,
    );
    expect(await names()).not.toContain(LAST);
  });
});
