import { openTestDatabase, type TestDatabase } from '../test/support/database.js';
import { largeTenants } from './distribute.js';

describe('largeTenants', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    const sizes = { small: 900_000, middle: 1_500_000, large: 6_000_000 };
    for (const [appId, chunks] of Object.entries(sizes)) {
      await dataSource.query(`insert into apps (app_id, name) values ($1, $1)`, [appId]);
      await dataSource.query(`insert into corpus_stats (app_id, chunk_count) values ($1, $2)`, [
        appId,
        chunks,
      ]);
    }
  }, 60_000);
  afterAll(() => database.close());

  const found = async (nodes: number): Promise<string[]> =>
    (await largeTenants(database.dataSource, nodes)).map(({ appId, chunks }) => `${appId} ${chunks}`);

  it('finds the tenants with more chunks than an even share of a node', async () => {
    expect(await found(2)).toEqual(['large 6000000']);
    expect(await found(1)).toEqual([]);
  });

  it('does not name tenants that any node can serve', async () => {
    expect(await found(20)).toEqual(['large 6000000', 'middle 1500000']);
  });
});
