import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import type { Tools } from './check.js';
import { STATISTICS_CHECKS } from './statistics.js';

describe('the check of the corpus statistics', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  it('finds words of a document that became private and still count, and takes them out', async () => {
    const { dataSource } = database;
    const documents = new StoredDocuments(dataSource, 8);
    const scope = await documents.tenant('acme');
    await documents.add(scope, ['herons fish']);
    const id = await documents.add(scope, ['herons', 'secrets']);
    const tools = { dataSource } as Tools;
    const check = STATISTICS_CHECKS.find(({ name }) => name === 'corpus statistics');
    const found = async (): Promise<readonly string[]> =>
      (await check?.look(tools, 'acme'))?.examples ?? ['no check'];
    expect(await found()).toEqual([]);

    await dataSource.query(
      `update documents set end_user_id = 'ann' where app_id = 'acme' and external_id = $1`,
      [id],
    );
    expect(await found()).toEqual(expect.arrayContaining([`document ${id}: 1 instead of 0`]));
    await check?.repair(tools, 'acme');
    expect(await found()).toEqual([]);
    const counts = await dataSource.query<unknown[]>(
      `select chunk_count, shared_count from corpus_stats where app_id = 'acme'`,
    );
    expect(counts).toEqual([{ chunk_count: '3', shared_count: '1' }]);
  });
});
