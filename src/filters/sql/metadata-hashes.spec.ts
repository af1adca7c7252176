import sql, { type Sql } from 'sql-template-tag';
import { run } from '../../database/run.js';
import { openTestDatabase, overRows } from '../../../test/filters/over-rows.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { compileFilter } from './compile-filter.js';
import { parseFilter } from '../parse/parse-filter.js';

overRows('metadata_hashes', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query("insert into apps (app_id, name) values ('t', 't')");
  }, 60_000);
  afterAll(() => database.close());
  afterEach(() => database.dataSource.query('delete from documents'));

  async function hashesOf(json: string): Promise<readonly string[]> {
    const [row] = await run<{ hashes: string[] }>(
      database.dataSource,
      sql`select hash_metadata(${json}::jsonb) as hashes`,
    );
    return row?.hashes ?? [];
  }

  const hashOf = async (json: string): Promise<string | undefined> => (await hashesOf(json))[0];

  it('contains one hash for each text, number and boolean of a key or its array', async () => {
    expect(await hashesOf('{"a": "x", "b": 1, "c": true, "d": [1, "x", false, 1]}')).toHaveLength(7);
    expect(await hashesOf('{"a": null, "b": {"c": 1}, "d": [null, [1], {"e": 1}], "f": []}')).toEqual([]);
  });

  it('distinguishes keys, values and types', async () => {
    const different = ['{"a": 1}', '{"b": 1}', '{"a": 2}', '{"a": "1"}', '{"a": true}', '{"": 1}'];
    expect(new Set(await Promise.all(different.map(hashOf))).size).toBe(different.length);
  });

  it('is the same for equal values inside and outside arrays', async () => {
    const same = ['{"a": 1}', '{"a": 1.0}', '{"a": 1e0}', '{"a": [1]}', '{"a": 10e-1}'];
    expect(new Set(await Promise.all(same.map(hashOf))).size).toBe(1);
    expect(await hashOf('{"a": 9007199254740993}')).not.toBe(await hashOf('{"a": 9007199254740992}'));
  });

  it('is updated with the metadata, and its index finds one of many values', async () => {
    await database.dataSource.query(
      `insert into documents (app_id, status, content_type, filename, metadata)
       select 't', 'completed', 'text/plain', n::text, jsonb_build_object('n', n) from generate_series(1, 5000) n`,
    );
    await database.dataSource.query('analyze documents');
    const predicate = compiled({ n: { $in: [7, 8, 5001] } });
    const found = async () =>
      run<{ filename: string }>(
        database.dataSource,
        sql`select d.filename from documents d where ${predicate} order by d.filename`,
      );
    expect(await found()).toEqual([{ filename: '7' }, { filename: '8' }]);
    const plan = await run<object>(
      database.dataSource,
      sql`explain select d.filename from documents d where ${predicate}`,
    );
    expect(JSON.stringify(plan)).toContain('documents_metadata_hashes');

    await database.dataSource.query(
      `update documents set metadata = '{"n": 5001}' where filename = '8' or filename = '9'`,
    );
    expect(await found()).toEqual([{ filename: '7' }, { filename: '8' }, { filename: '9' }]);
  });

  function compiled(filter: object): Sql {
    const tree = parseFilter(filter, []);
    if (tree === null) throw new Error('filter expected');
    return compileFilter(tree);
  }
});
