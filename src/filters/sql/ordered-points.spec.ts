import sql from 'sql-template-tag';
import { openTestDatabase, overRows } from '../../../test/filters/over-rows.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { EVERYTHING } from '../filter.js';
import { idsAt, pointsOf } from './ordered-part.js';
import { parseFilter } from '../parse/parse-filter.js';

const pointsIn = (filter: object) => pointsOf(parseFilter(filter, ['filters']) ?? EVERYTHING);

const ids = (parameter: number, condition: string): string =>
  `select o.document_id from metadata_order o where o.app_id = $${parameter} and o.name = $${parameter + 1} and o.spread = $${parameter + 2} and ${condition}`;

describe('the ids at the points of a filter, as SQL', () => {
  it('are those of single values that are one, and of arrays that begin before the last', () => {
    const [points] = pointsIn({ size: { $in: [5, 'm', '1.50'] } });
    const { text, values } = points ? idsAt('t', points) : sql``;
    expect(text).toBe(
      [
        ids(1, 'o.number = any($4::numeric[])'),
        ids(5, 'o.number <= (select max(p) from unnest($8::numeric[]) p)'),
        ids(9, 'o.text = any(($12::text[] collate "C"))'),
        ids(13, 'o.text <= (select max(p) from unnest(($16::text[] collate "C")) p)'),
      ].join(' union all '),
    );
    const numbers = ['5', '1.5'];
    const texts = ['m', '1.50'];
    expect(values).toEqual(
      [numbers, texts].flatMap((kept) => ['t', 'size', false, kept, 't', 'size', true, kept]),
    );
  });

  it.each<[readonly unknown[], RegExp]>([
    [[5, 6], /^(?:(?!o\.text).)*$/],
    [['m', 'n'], /^(?:(?!o\.number).)*$/],
  ])('are looked for among what %j may be kept as', (values, expected) => {
    const [points] = pointsIn({ size: { $in: values } });
    const { text } = points ? idsAt('t', points) : sql``;
    expect(text.match(/select o\.document_id/g)).toHaveLength(2);
    expect(text).toMatch(expected);
  });

  it('are looked for wherever the points stand among what has to hold', () => {
    const filter = { a: 1, $and: [{ b: { $in: ['x'] } }, { c: { $ne: 3 }, $or: [{ d: 4 }, { e: 5 }] }] };
    expect(pointsIn(filter).map(({ field, values }) => [field.name, values])).toEqual([
      ['a', [1]],
      ['b', ['x']],
    ]);
  });

  it.each<[string, object]>([
    ['there are none', { a: { $in: [] } }],
    ['a truth value is among them', { a: { $in: [1, true] } }],
    ['null is among them', { a: { $in: [1, null] } }],
    ['a list is among them', { a: { $in: [1, [2]] } }],
    ['a time is among them', { a: { $in: ['x', '2024-01-01'] } }],
    ['the place is inside an object', { 'a.b': 1 }],
    ['the name is longer than what is kept', { ['n'.repeat(201)]: 1 }],
    ['the file name is wanted', { filename: 'a' }],
    ['they are denied', { a: { $nin: [1] } }],
    ['something else is asked', { a: { $gt: 1 } }],
  ])('are not looked for when %s', (_, filter) => {
    expect(pointsIn(filter)).toEqual([]);
  });
});

overRows('the ids at points', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query("insert into apps (app_id, name) values ('t', 't'), ('u', 'u')");
    const documents: readonly (readonly [string, string, object, object?])[] = [
      ['t', 'one', { a: 1 }],
      ['t', 'two', { a: 2.5 }],
      ['t', 'text', { a: 'x' }],
      ['t', 'long', { a: `${'y'.repeat(100)}1` }],
      ['t', 'list', { a: [0, 2.5, 9] }],
      ['t', 'later', { a: [3, 4] }],
      ['t', 'decimal', { a: '2.50' }, { a: 'decimal' }],
      ['t', 'elsewhere', { b: 1 }],
      ['u', 'foreign', { a: 1 }],
    ];
    for (const [appId, filename, metadata, types = {}] of documents) {
      await database.dataSource.query(
        `insert into documents (app_id, status, content_type, filename, metadata, metadata_types)
         values ($1, 'completed', 'text/plain', $2, $3, $4)`,
        [appId, filename, JSON.stringify(metadata), JSON.stringify(types)],
      );
    }
  }, 60_000);
  afterAll(() => database.close());

  it.each<[readonly unknown[], readonly string[]]>([
    [[1], ['list', 'one']],
    [[2.5], ['decimal', 'list', 'two']],
    [['x'], ['text']],
    [[`${'y'.repeat(100)}2`], ['long']],
    [
      [1, 'x', 4],
      ['later', 'later', 'list', 'one', 'text'],
    ],
    [[-1], []],
  ])('%j are of these documents', async (values, expected) => {
    const [points] = pointsIn({ a: { $in: values } });
    const found = points ? idsAt('t', points) : sql``;
    const { text, values: parameters } =
      sql`select d.filename from (${found}) i join documents d on d.external_id = i.document_id order by 1`;
    const rows: { filename: string }[] = await database.dataSource.query(text, parameters);
    expect(rows.map(({ filename }) => filename)).toEqual(expected);
  });
});
