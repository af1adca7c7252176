import { readFileSync } from 'node:fs';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { QUOTA_KINDS } from '../config/quotas.js';
import { countUses } from './use-counts.js';

describe('the use of quotas', () => {
  let database: TestDatabase;
  const query = jest.fn<Promise<unknown>, [string, unknown[]?]>();
  beforeAll(async () => {
    database = await openTestDatabase();
    query.mockImplementation((text, values) => database.dataSource.query(text, values));
  });
  afterAll(() => database.close());

  it.each([1, 3])('is read in one statement for all kinds and levels with %i shards', async (shards) => {
    const uses = await countUses({ query }, { appId: 'acme', shards }, [null, 'ann'], QUOTA_KINDS);
    expect(query).toHaveBeenCalledTimes(1);
    expect(uses.map(({ person, kind }) => [person, kind])).toEqual(
      [null, 'ann'].flatMap((person) => QUOTA_KINDS.map((kind) => [person, kind])),
    );
    expect(uses.every(({ used, endsAt }) => used === 0 && endsAt === null)).toBe(true);
    query.mockClear();
  });

  it('is explained for each kind', () => {
    const [, table = ''] =
      /\n\*\*Quotas\*\*(.*?)\n\nThe message/s.exec(readFileSync('docs/reference/limits.md', 'utf8')) ?? [];
    expect(QUOTA_KINDS.filter((kind) => !table.includes(`\`${kind}\``))).toEqual([]);
  });
});
