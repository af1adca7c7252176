import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { ServiceStateEntity } from './service-state.entity.js';
import { parseJson, printJson } from '../json/exact-json.js';

describe('database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  it('has pgvector 0.8 or newer', async () => {
    const [row] = await database.dataSource.query<Record<string, unknown>[]>(
      "select extversion from pg_extension where extname = 'vector'",
    );
    expect(row?.['extversion']).toMatch(/^0\.[89]/);
  });

  it('returns jsonb numbers with every digit', async () => {
    const [row] = await database.dataSource.query<Record<string, unknown>[]>(
      `select '{"n": 9007199254740993}'::jsonb as value`,
    );
    expect(String((row?.['value'] as { n: unknown }).n)).toBe('9007199254740993');
  });

  it('keeps every digit and every key of jsonb written and read through a repository', async () => {
    const written = '{"n":9007199254740993,"__proto__":{"m":0.1000000000000000055}}';
    const states = database.dataSource.getRepository(ServiceStateEntity);
    await states.insert({ name: 'exact', value: parseJson(written) as object });
    const { value } = await states.findOneByOrFail({ name: 'exact' });
    expect(value).toEqual(parseJson(written));
    expect(printJson((value as { n: unknown }).n)).toBe('9007199254740993');
  });

  it('scans HNSW indexes iteratively', async () => {
    const [row] = await database.dataSource.query<Record<string, unknown>[]>(
      `select current_setting('hnsw.iterative_scan') as mode`,
    );
    expect(row?.['mode']).toBe('relaxed_order');
  });
});
