import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { migrate } from '../migrate.js';
import { SharedStatistics1700000043000 } from './1700000043000-shared-statistics.js';

const COUNTS = `select 'chunks' as of, chunk_count::integer as all, shared_count::integer as shared
                from corpus_stats where app_id = $1
                union all
                (select key::text, chunk_count, shared_count from term_stats where app_id = $1 order by key)`;

describe('the migration of the statistics of words', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterEach(() => database.close());

  it('counts the chunks that everyone may read as the service would have counted them', async () => {
    const { dataSource } = database;
    const documents = new StoredDocuments(dataSource, 8);
    const [acme, globex] = [await documents.tenant('acme'), await documents.tenant('globex')];
    const shared = await documents.add(acme, ['herons fish at dawn', 'herons']);
    const own = await documents.add(acme, ['herons and secrets', 'secrets'], { endUserId: 'ann' });
    await documents.add(globex, ['herons of another tenant']);
    const counted = async (appId: string): Promise<unknown[]> => dataSource.query<unknown[]>(COUNTS, [appId]);
    const before = [await counted('acme'), await counted('globex')];

    await revertMigration(dataSource, SharedStatistics1700000043000);
    await migrate(dataSource);

    expect([await counted('acme'), await counted('globex')]).toEqual(before);
    expect(before[0]?.[0]).toEqual({ of: 'chunks', all: 4, shared: 2 });
    const flags = await dataSource.query<unknown[]>(
      `select external_id as id, in_shared_statistics as shared from documents where app_id = 'acme'`,
    );
    expect(flags).toHaveLength(2);
    expect(flags).toEqual(
      expect.arrayContaining([
        { id: shared, shared: true },
        { id: own, shared: false },
      ]),
    );
  });
});
