import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { StoredDocuments } from '../../../test/support/stored-documents.js';
import { keysOf, termNumber } from '../../lexical/inverted-index.js';
import { migrate } from '../migrate.js';
import { GroupedNumbers1700000044500 } from './1700000044500-grouped-numbers.js';

const APP = 'acme';
const LIMIT = 60_000;

describe('the migration of numbers with thousands separators', () => {
  let database: TestDatabase;
  let documents: StoredDocuments;
  beforeEach(async () => {
    database = await openTestDatabase();
    documents = new StoredDocuments(database.dataSource, 8);
  }, LIMIT);
  afterEach(() => database.close());

  const query = <T>(statement: string, values: readonly unknown[] = [APP]): Promise<T[]> =>
    database.dataSource.query<T[]>(statement, [...values]);

  /** Everything of the inverted index and its statistics. */
  const indexed = async (): Promise<unknown[]> => [
    await query(
      `select document_id, chunk_number, impacts::text,
         (select array_agg(t.key order by t.key) from unnest(terms) t(key)) as terms
       from chunks where app_id = $1 order by 1, 2`,
    ),
    await query('select key::text, chunk_count, shared_count from term_stats where app_id = $1 order by key'),
    await query('select chunk_count, shared_count from corpus_stats where app_id = $1'),
  ];

  /** Removes a term from the index, as if a version without it had written the chunks. */
  const forget = async (term: string): Promise<void> => {
    const keys = keysOf(APP, [termNumber(term)]).map(String);
    await query(
      `update chunks set terms = array(select t.key from unnest(terms) t(key) where t.key <> all($2::bigint[])),
         impacts = regexp_replace(regexp_replace(impacts::text, $3, '\\1'), ',}', '}')::sparsevec
       where app_id = $1`,
      [APP, keys, `([{,])${termNumber(term)}:[\\d.]+,?`],
    );
    await query('delete from term_stats where app_id = $1 and key = any($2::bigint[])', [APP, keys]);
  };

  it(
    'indexes existing chunks as this version indexes new ones',
    async () => {
      const acme = await documents.tenant(APP);
      await documents.add(acme, [
        'They sold 1,234,567 pieces.',
        'No number.',
        "Of 1'234'567 people 12 500 came.",
      ]);
      await documents.add(acme, ['Ann earns 1.234.567 a year.'], { endUserId: 'ann' });
      const many = Array.from({ length: 501 }, (_, at) => `Row ${at}: ${at + 1},000,000.`);
      await documents.add(acme, many);
      const before = await indexed();
      await revertMigration(database.dataSource, GroupedNumbers1700000044500);
      await forget('1234567');
      await forget('12500');
      await forget('501000000');
      expect(await indexed()).not.toEqual(before);
      await migrate(database.dataSource);
      expect(await indexed()).toEqual(before);
      const counts = await query<{ all: number; shared: number }>(
        `select sum(chunk_count)::integer as all, sum(shared_count)::integer as shared from term_stats
         where app_id = $1 and key = any($2::bigint[])`,
        [APP, keysOf(APP, [termNumber('1234567')]).map(String)],
      );
      expect(counts).toEqual([{ all: 3, shared: 2 }]);
    },
    LIMIT,
  );
});
