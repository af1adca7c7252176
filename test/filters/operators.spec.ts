import { readFileSync } from 'node:fs';
import sql from 'sql-template-tag';
import { parseFilter } from '../../src/filters/parse/parse-filter.js';
import { COMPARING_OPERATORS } from '../../src/filters/parse/parse-predicate.js';
import { compileFilter } from '../../src/filters/sql/compile-filter.js';
import { rangesOf, withinRange } from '../../src/filters/sql/ordered-range.js';
import { OPERATORS } from '../../web/src/filters/filter-tree.js';
import type { TestDatabase } from '../support/database.js';
import { fc } from '../support/properties.js';
import { filters } from './arbitraries.js';
import { mingoMatches } from './mingo-oracle.js';
import { openTestDatabase, overRows } from './over-rows.js';

/** An operand that few of the documents of {@link storeMany} meet, and the index that a search uses; null: none. */
const EXAMPLES: Readonly<Record<string, readonly [field: string, operand: unknown, index: string | null]>> = {
  $eq: ['n', 7, 'documents_metadata'],
  $ne: ['n', 7, null],
  $gt: ['n', 4_990, 'metadata_order_number'],
  $gte: ['n', 4_990, 'metadata_order_number'],
  $lt: ['n', 10, 'metadata_order_number'],
  $lte: ['name', 'name 1', 'metadata_order_text'],
  $in: ['n', [7, 8, 9], 'documents_metadata_hashes'],
  $nin: ['n', [7, 8, 9], null],
  $exists: ['rare', true, 'documents_metadata'],
  $type: ['rare', 'number', 'documents_metadata'],
  $regex: ['name', '^name 77$', null],
  $contains: ['name', 'me 77', null],
};

/** The filter builder of the playground offers one value or a list for each operator. */
const NOT_IN_THE_PLAYGROUND = ['$type'];

const generated = operandsIn(fc.sample(filters, { numRuns: 3_000, seed: 7 }));
const [, DOCUMENTED = ''] =
  /## Operators(.*?)\n## /s.exec(readFileSync('docs/guide/filters.md', 'utf8')) ?? [];
const SPECS_OF_SQL = ['compile-filter', 'metadata-predicate', 'metadata-equality']
  .map((name) => readFileSync(`src/filters/sql/${name}.spec.ts`, 'utf8'))
  .join('');
const INVALID = readFileSync('test/filters/invalid-filters.spec.ts', 'utf8');

/** What an operator needs besides its parser, and whether it has it. */
const NEEDS: readonly { readonly what: string; readonly has: (operator: string) => boolean }[] = [
  { what: 'its line in docs/guide/filters.md, Operators', has: (name) => DOCUMENTED.includes(`\`${name}\``) },
  { what: 'random operands in test/filters/arbitraries.ts', has: (name) => generated.has(name) },
  { what: 'its meaning in test/filters/mingo-oracle.ts', has: isKnownToOracle },
  {
    what: 'an example of its SQL in src/filters/sql/compile-filter.spec.ts',
    has: (name) => SPECS_OF_SQL.includes(name),
  },
  { what: 'invalid operands in test/filters/invalid-filters.spec.ts', has: (name) => INVALID.includes(name) },
  {
    what: 'its label in web/src/filters/filter-tree.ts (OPERATORS)',
    has: (name) => name in OPERATORS || NOT_IN_THE_PLAYGROUND.includes(name),
  },
  {
    what: 'an example in test/filters/operators.spec.ts, and the index in docs/guide/filters.md, Indexes',
    has: (name) => name in EXAMPLES,
  },
];

function isKnownToOracle(operator: string): boolean {
  const document = { metadata: { a: 'a' }, metadataTypes: {}, filename: null, externalId: '' };
  try {
    mingoMatches(document, { a: { [operator]: generated.get(operator) ?? 'a' } });
    return true;
  } catch {
    return false;
  }
}

/** Returns an operand of each operator that occurs in the values. */
function operandsIn(values: unknown): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      found.set(key, member);
      visit(member);
    }
  };
  visit(values);
  return found;
}

describe('operators of filters', () => {
  it.each(COMPARING_OPERATORS)('lack nothing: %s', (operator) => {
    expect(NEEDS.filter(({ has }) => !has(operator)).map(({ what }) => what)).toEqual([]);
  });
});

overRows('indexes of operators', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await storeMany(database);
  }, 60_000);
  afterAll(() => database.close());

  it.each(Object.entries(EXAMPLES))('%s', async (operator, [field, operand, index]) => {
    const filter = parseFilter({ [field]: { [operator]: operand } }, []);
    if (filter === null) throw new Error('an example without a filter');
    const ranges = rangesOf(filter).map((range) => sql` and ${withinRange('t', range)}`);
    const [range = sql``] = ranges;
    const statement = sql`explain select 1 from documents d where ${compileFilter(filter)}${range}`;
    const plan = await database.dataSource.transaction(async (manager) => {
      await manager.query('set local enable_seqscan = off'); // the plan then depends on no estimate
      return JSON.stringify(await manager.query(statement.text, statement.values));
    });
    const used = /on (documents_metadata(?:_hashes)?)\b|using (metadata_order_\w+)/.exec(plan);
    expect(used?.[1] ?? used?.[2] ?? null).toBe(index);
  });

  /** Stores 5,000 documents with different numbers and names, and ten of them with another field. */
  async function storeMany({ dataSource }: TestDatabase): Promise<void> {
    await dataSource.query("insert into apps (app_id, name) values ('t', 't')");
    await dataSource.query(
      `insert into documents (app_id, status, content_type, metadata)
       select 't', 'completed', 'text/plain', jsonb_build_object('n', n, 'name', 'name ' || n)
         || case when n % 500 = 0 then '{"rare": 1}' else '{}' end::jsonb
       from generate_series(1, 5000) n`,
    );
    await dataSource.query('analyze documents');
    await dataSource.query('analyze metadata_order');
  }
});
