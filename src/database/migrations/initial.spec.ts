import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { migrate } from '../migrate.js';

const LAST = 'FairQueues1700000018000';

describe('the schema of an installation from before it was one migration', () => {
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

  it('is left as it is where all of the former steps were taken', async () => {
    const before = await names();
    expect(before).toContain(LAST);
    await migrate(database.dataSource);
    expect(await names()).toEqual(before);
  });

  it('is refused where some of them are missing, with what to do', async () => {
    await database.dataSource.query('delete from migrations where name = $1', [LAST]);
    await expect(migrate(database.dataSource)).rejects.toThrow(
      /^The schema is of an early state of Lectern: start the commit 712f8b7 over this database once/,
    );
    expect(await names()).not.toContain(LAST);
  });
});
