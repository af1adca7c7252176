import sql from 'sql-template-tag';
import { compileFilter } from '../../src/filters/sql/compile-filter.js';
import { EVERYTHING } from '../../src/filters/filter.js';
import { parseFilter } from '../../src/filters/parse/parse-filter.js';
import { ExactNumber } from '../../src/json/exact-json.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { DOCUMENTS, select, storeDocuments } from './stored-documents.js';

type Json = Readonly<Record<string, unknown>>;

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const wrapped = (levels: number, inner: Json, wrap: (inner: Json, level: number) => Json): Json =>
  times(levels, (level) => level).reduce((filter, level) => wrap(filter, level), inner);
const EVERY_TYPE = ['string', 'number', 'decimal', 'boolean', 'datetime', 'date', 'array', 'object', 'null'];
const ALL = Object.keys(DOCUMENTS);

describe('a filter at the limits', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await storeDocuments(database.dataSource);
  }, 60_000);
  afterAll(() => database.close());

  const answer = (filter: Json) =>
    select(database.dataSource, compileFilter(parseFilter(filter, ['filters']) ?? EVERYTHING));

  it.each<[string, Json, readonly string[]]>([
    ['100 levels of $and', wrapped(100, { kind: 'note' }, (inner) => ({ $and: [inner] })), ['note']],
    [
      '100 levels of $and with company',
      wrapped(100, { kind: 'note' }, (inner, level) => ({ $and: [inner, { [`x${level}`]: null }] })),
      ['note'],
    ],
    [
      '100 levels of $or with company',
      wrapped(100, { kind: 'note' }, (inner, level) => ({ $or: [inner, { [`x${level}`]: 1 }] })),
      ['note'],
    ],
    ['100 levels of $not', wrapped(100, { kind: 'note' }, (inner) => ({ $not: inner })), ['note']],
    [
      '100 levels of $nor with company',
      wrapped(100, { kind: 'note' }, (inner, level) => ({ $nor: [inner, { [`x${level}`]: 1 }] })),
      ['note'],
    ],
    [
      '100 levels inside a field',
      { kind: wrapped(100, { $gte: 'note' }, (inner) => ({ $and: [inner, { $exists: true }] })) },
      ['report', 'note', 'tagged', 'nested'],
    ],
    [
      '100 levels of both kinds',
      wrapped(50, { kind: wrapped(50, { $gte: 'note' }, (inner) => ({ $not: inner })) }, (inner) => ({
        $not: inner,
      })),
      ['report', 'note', 'tagged', 'nested'],
    ],
    ['1,000 equalities', { $or: times(1_000, (index) => ({ [`k${index}`]: index })) }, []],
    ['1,000 equalities with null', { $and: times(1_000, (index) => ({ [`k${index}`]: null })) }, ALL],
    ['1,000 equalities of one field', { $or: times(1_000, (index) => ({ size: index })) }, ['tagged']],
    [
      '1,000 exclusions of one field',
      { $and: times(1_000, (index) => ({ size: { $ne: index } })) },
      ALL.filter((name) => name !== 'tagged'),
    ],
    [
      '1,000 orders by date',
      { $or: times(1_000, (index) => ({ due: { $lt: `2023-12-${10 + (index % 20)}` } })) },
      [],
    ],
    [
      '1,000 equalities with a date',
      { $nor: times(1_000, (index) => ({ [`k${index}`]: '2024-01-01' })) },
      ALL,
    ],
    [
      '1,000 lists of types',
      {
        $and: times(500, (index) => ({ kind: { $not: { $type: EVERY_TYPE } }, [`k${index}`]: null })),
      },
      ['exact', 'empty'],
    ],
    ['1,000 objects', { $or: times(1_000, (index) => ({ [`k${index}`]: { a: [index] } })) }, []],
    ['1,000 texts', { $or: times(1_000, (index) => ({ kind: { $contains: `no${index}` } })) }, []],
    [
      '1,000 dotted texts',
      { $or: times(1_000, (index) => ({ [`authors.${index}.name`]: { $contains: 'bob' } })) },
      ['authored'],
    ],
    ['1,000 patterns', { $or: times(1_000, (index) => ({ kind: { $regex: `^no${index % 32}` } })) }, []],
    [
      '1,000 dotted names',
      { $or: times(1_000, (index) => ({ [`authors.${index}.name`]: 'Bob' })) },
      ['authored'],
    ],
    [
      '1,000 predicates in 100 levels',
      wrapped(100, { kind: 'note' }, (inner, level) =>
        level % 2 === 0
          ? { $or: [inner, ...times(9, (index) => ({ [`k${index}`]: level }))] }
          : { $and: [inner, ...times(9, (index) => ({ [`k${index}`]: null }))] },
      ),
      ['note'],
    ],
    ['10,000 members', { size: { $in: times(10_000, (index) => index) } }, ['tagged']],
    [
      '10,000 members of a dotted name',
      { 'author.age': { $in: times(10_000, (index) => index) } },
      ['authored'],
    ],
    [
      '10,000 dates',
      { due: { $in: times(10_000, (index) => new Date(Date.UTC(2000, 0, 1 + index)).toISOString()) } },
      ['report', 'note'],
    ],
    [
      '10,000 decimals',
      { price: { $in: times(10_000, (index) => `${index / 100}0`) } },
      ['report', 'tagged'],
    ],
    ['10,000 containers', { kind: { $in: times(10_000, (index) => [`x${index || ''}`]) } }, ['nested']],
    [
      '10,000 excluded members',
      { size: { $nin: times(10_000, (index) => index) } },
      ALL.filter((name) => name !== 'tagged'),
    ],
    [
      '10,000 file names',
      { filename: { $in: times(10_000, (index) => (index === 7 ? 'a.pdf' : String(index))) } },
      ['report'],
    ],
    [
      '10,000 ids',
      {
        external_id: {
          $in: times(10_000, (index) => `00000000-0000-4000-8000-${String(index * 3).padStart(12, '0')}`),
        },
      },
      ['tagged', 'anonymous'],
    ],
    [
      '65 strings, with arrays as a whole and their elements',
      { kind: { $in: times(65, (index) => (index === 0 ? 'x' : `y${index}`)) } },
      ['tagged', 'nested'],
    ],
    ['a name of 1,024 characters', { ['é'.repeat(1_024)]: null }, ALL],
    ['a path of 100 levels', { [`${'a.'.repeat(99)}a`]: null }, ALL],
    ['a path of 100 numbers', { [`${'1.'.repeat(99)}1`]: null }, ALL],
    ['an array of 100 levels', { a: times(100, () => 0).reduce<unknown>((inner) => [inner], 1) }, []],
    ['a pattern of 1,000 characters', { kind: { $regex: 'a'.repeat(1_000) } }, []],
    ['a text of 100,000 characters', { kind: { $contains: 'É'.repeat(100_000) } }, []],
    [
      'a number of 1,000 digits',
      { size: { $gt: new ExactNumber(`0.${'1'.repeat(998)}`) } },
      ['report', 'note', 'tagged'],
    ],
    ['the largest double', { size: { $lt: 1.7976931348623157e308 } }, ['report', 'note', 'tagged']],
    ['the smallest double', { size: { $gt: 5e-324 } }, ['report', 'note', 'tagged']],
  ])('is accepted with %s', async (_, filter, names) => {
    expect(await answer(filter)).toEqual(names);
  });

  it('is never NULL', async () => {
    const filter = {
      'a.b': { $gt: 1 },
      kind: { $contains: 'x' },
      price: { $lt: '7' },
      due: { $in: ['2024-01-01'] },
    };
    const predicate = compileFilter(parseFilter(filter, ['filters']) ?? EVERYTHING);
    expect(await select(database.dataSource, sql`(${predicate}) is null`)).toEqual([]);
  });
});
