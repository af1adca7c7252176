import sql from 'sql-template-tag';
import { openTestDatabase, overRows } from '../../../test/filters/over-rows.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { EVERYTHING } from '../filter.js';
import { idsWithin, rangesOf } from './ordered-range.js';
import { parseFilter } from '../parse/parse-filter.js';

const rangesIn = (filter: object) => rangesOf(parseFilter(filter, ['filters']) ?? EVERYTHING);

const idsOf = (filter: object) => {
  const [range, ...others] = rangesIn(filter);
  expect(others).toEqual([]);
  return range && idsWithin('t', range);
};

const ids = (parameter: number, condition: string): string =>
  `select o.document_id from metadata_order o where o.app_id = $${parameter} and o.name = $${parameter + 1} and o.spread = $${parameter + 2} and ${condition}`;

describe('idsWithin, as SQL', () => {
  it.each<[string, object, string, readonly unknown[]]>([
    [
      'a number',
      { size: { $gt: 5 } },
      `${ids(1, 'o.number > $4::numeric')} union all ${ids(5, 'o.number > $8::numeric')}`,
      ['t', 'size', false, '5', 't', 'size', true, '5'],
    ],
    [
      'a text, which the table may truncate',
      { name: { $lt: 'm' } },
      `${ids(1, 'o.text <= $4::text')} union all ${ids(5, 'o.text <= $8::text')}`,
      ['t', 'name', false, 'm', 't', 'name', true, 'm'],
    ],
    [
      'texts between two bounds, with the first bound only for arrays',
      { name: { $gt: 'k', $lt: 'm' } },
      `${ids(1, 'o.text >= $4::text and o.text <= $5::text')} union all ${ids(6, 'o.text >= $9::text')}`,
      ['t', 'name', false, 'k', 'm', 't', 'name', true, 'k'],
    ],
    [
      'a numeric string, also for decimals',
      { price: { $gte: '1.50' } },
      `${ids(1, 'o.number >= $4::numeric')} union all ${ids(5, 'o.text >= $8::text')} union all ` +
        `${ids(9, 'o.number >= $12::numeric')} union all ${ids(13, 'o.text >= $16::text')}`,
      [
        't',
        'price',
        false,
        '1.5',
        't',
        'price',
        false,
        '1.50',
        't',
        'price',
        true,
        '1.5',
        't',
        'price',
        true,
        '1.50',
      ],
    ],
    [
      'both bounds, in one range for single values',
      { size: { $gt: 5, $lte: 9 } },
      `${ids(1, 'o.number > $4::numeric and o.number <= $5::numeric')} union all ${ids(6, 'o.number > $9::numeric')}`,
      ['t', 'size', false, '5', '9', 't', 'size', true, '5'],
    ],
    [
      'bounds of two types, which only an array can meet',
      { mixed: { $gt: 5, $lt: 'b' } },
      ids(1, 'o.number > $4::numeric'),
      ['t', 'mixed', true, '5'],
    ],
  ])('selects ids for %s', (_, filter, text, values) => {
    const ranges = idsOf(filter);
    expect([ranges?.text, ranges?.values]).toEqual([text, values]);
  });

  it('converts a date to an instant', () => {
    const ranges = idsOf({ day: { $gte: '2024-05-01' } });
    expect(ranges?.text).toContain('o.number >= extract(epoch from $4::timestamptz)::numeric');
    expect(ranges?.values.slice(0, 4)).toEqual(['t', 'day', false, '2024-05-01T00:00:00Z']);
  });

  it('builds one range per field from nested conjunctions', () => {
    const filter = {
      a: { $gt: 1 },
      $and: [{ b: { $lt: 2 } }, { a: { $lt: 9 } }, { c: 3, $or: [{ d: { $gt: 4 } }, { e: 5 }] }],
    };
    const drawn = rangesIn(filter).map(({ field, comparisons }) => [
      field.name,
      comparisons.map(({ operand }) => operand),
    ]);
    expect(drawn).toEqual([
      ['a', [1, 9]],
      ['b', [2]],
    ]);
  });

  it.each<[string, object]>([
    ['nothing is compared', { a: 1 }],
    ['the comparison is one of several alternatives', { $or: [{ a: { $gt: 1 } }, { b: 2 }] }],
    ['the comparison is negated', { a: { $not: { $gt: 1 } } }],
    ['booleans are compared', { a: { $gt: false } }],
    ['the name is dotted', { 'a.b': { $gt: 1 } }],
    ['the name is too long for the table', { ['n'.repeat(201)]: { $gt: 1 } }],
    ['the file name is compared', { filename: { $gt: 'a' } }],
  ])('finds no range when %s', (_, filter) => {
    expect(rangesIn(filter)).toEqual([]);
  });

  it('truncates a text like the table', () => {
    const ranges = idsOf({ a: { $gt: '😀'.repeat(150) } });
    expect(ranges?.values[3]).toBe('😀'.repeat(100));
    expect(rangesIn({ ['n'.repeat(200)]: { $gt: 1 } })).toHaveLength(1);
  });
});

overRows('metadata_order', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query("insert into apps (app_id, name) values ('t', 't'), ('u', 'u')");
  }, 60_000);
  afterAll(() => database.close());
  afterEach(() => database.dataSource.query('delete from documents'));

  const ID = '00000000-0000-4000-8000-000000000001';

  async function insert(metadata: object, types: object = {}, appId = 't', id = ID): Promise<void> {
    await database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, metadata, metadata_types)
       values ($1, $2, 'completed', 'text/plain', $3, $4)`,
      [appId, id, JSON.stringify(metadata), JSON.stringify(types)],
    );
  }

  async function rows(): Promise<unknown[]> {
    const found: { name: string; spread: boolean; number: string | null; text: string | null }[] =
      await database.dataSource.query(
        'select name, spread, trim_scale(number)::text as number, text from metadata_order order by name, number, text',
      );
    return found.map(({ name, spread, number, text }) => [name, spread, number ?? text]);
  }

  it('stores numbers, texts, and typed strings by their type', async () => {
    const metadata = {
      big: 9,
      day: '1970-01-02',
      moment: '1970-01-01T01:00:00+01:00',
      price: '12.50',
      text: 'x',
      truth: true,
      nothing: null,
      inner: { n: 1 },
    };
    await insert(metadata, { day: 'date', moment: 'datetime', price: 'decimal', text: 'string' });
    expect(await rows()).toEqual([
      ['big', false, '9'],
      ['day', false, '86400'],
      ['moment', false, '0'],
      ['price', false, '12.5'],
      ['text', false, 'x'],
    ]);
  });

  it('stores minimum and maximum of an array, truncates texts, and omits long names', async () => {
    await insert({
      list: [3, 1, 2, 'b', 'a', null, { x: 9 }],
      one: [7],
      none: [],
      long: 'é'.repeat(120),
      ['n'.repeat(201)]: 1,
    });
    expect(await rows()).toEqual([
      ['list', true, '1'],
      ['list', true, '3'],
      ['list', true, 'a'],
      ['list', true, 'b'],
      ['long', false, 'é'.repeat(100)],
      ['one', true, '7'],
    ]);
  });

  it('is updated and deleted with the document', async () => {
    await insert({ a: 1, b: '2024-01-01' });
    await insert({ a: 5 }, {}, 'u');
    const update = (assignment: string) =>
      database.dataSource.query(
        `update documents set ${assignment} where app_id = 't' and external_id = $1`,
        [ID],
      );
    await update(`metadata = metadata || '{"a": 2, "c": "x"}'`);
    expect(await rows()).toEqual([
      ['a', false, '2'],
      ['a', false, '5'],
      ['b', false, '2024-01-01'],
      ['c', false, 'x'],
    ]);
    await update(`metadata_types = '{"b": "date"}'`);
    expect(await rows()).toContainEqual(['b', false, '1704067200']);
    await update(`metadata = '{}'`);
    expect(await rows()).toEqual([['a', false, '5']]);
    await database.dataSource.query("delete from documents where app_id = 'u'");
    expect(await rows()).toEqual([]);
  });

  it('finds the ids of the tenant in a range', async () => {
    await insert({ a: 5 });
    await insert({ a: 5 }, {}, 'u', ID.replace(/1$/, '2'));
    const ids = idsOf({ a: { $gte: 5, $lt: 6 } }) ?? sql``;
    const statement = sql`select d.app_id from documents d where d.external_id in (${ids})`;
    expect(await database.dataSource.query(statement.text, statement.values)).toEqual([{ app_id: 't' }]);
  });
});
