import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { schemaLines } from '../../../test/support/schema-lines.js';
import { migrate } from '../migrate.js';
import { Initial1700000030000 } from './1700000030000-initial.js';

describe('the initial migration', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  const schema = (): Promise<string[]> => schemaLines(database.dataSource);

  it('creates the same schema after it was reverted', async () => {
    const { dataSource } = database;
    const before = await schema();
    expect(before.length).toBeGreaterThan(200);
    await revertMigration(dataSource, Initial1700000030000);
    expect((await schema()).filter((line) => !/^(CREATE UNIQUE INDEX )?.*migrations/.test(line))).toEqual([]);
    await migrate(dataSource);
    expect(await schema()).toEqual(before);
  });

  it('is preceded by the refusal of tables without a record, which names the remedy', async () => {
    const { dataSource } = database;
    await dataSource.query('delete from migrations where name = $1', [Initial1700000030000.name]);
    const before = await schema();
    await expect(migrate(dataSource)).rejects.toThrow(
      /^The tables in this database are of a version before the first recorded schema, .* with "lectern import"$/,
    );
    expect(await schema()).toEqual(before);
  });
});
