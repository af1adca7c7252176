import sql from 'sql-template-tag';
import { openTestDatabase, overRows } from '../../test/filters/over-rows.js';
import type { TestDatabase } from '../../test/support/database.js';
import { compileFilter } from './compile-filter.js';
import { EVERYTHING } from './filter.js';
import { findablePart } from './findable.js';
import { parseFilter } from './parse-filter.js';

const parsed = (filter: object) => parseFilter(filter, ['filters']) ?? EVERYTHING;
const NUMBERS = Array.from({ length: 70 }, (_, number) => number);

/** Filters that an index leads to. */
const FOUND: readonly (readonly [string, object])[] = [
  ['a value', { a: 1 }],
  ['a value inside an object', { 'a.b': 1 }],
  ['a decimal', { a: '1.50' }],
  ['an array', { a: [1, 2] }],
  ['an object', { a: { b: 1 } }],
  ['some values', { a: { $in: [1, 'x', true] } }],
  ['many values', { a: { $in: NUMBERS } }],
  ['as many values inside an object as a jsonpath takes', { 'a.b': { $in: NUMBERS.slice(0, 64) } }],
  ['values and an object', { a: { $in: [1, { b: 1 }] } }],
  ['an element', { a: { $contains: 1 } }],
  ['file names', { filename: { $in: ['a', 'b'] } }],
  ['no file name', { filename: null }],
  ['a file name or none', { filename: { $in: ['a', null] } }],
  ['an id', { external_id: '00000000-0000-4000-8000-000000000001' }],
  ['alternatives that are all found', { $or: [{ a: 1 }, { b: 2, c: { $gt: 3 } }] }],
];

/** Filters for which all documents of the tenant are tested. */
const TESTED: readonly (readonly [string, object])[] = [
  ['null', { a: null }],
  ['null among values', { a: { $in: [1, null] } }],
  ['many values inside an object', { 'a.b': { $in: NUMBERS } }],
  ['an object inside an object', { 'a.b': { c: 1 } }],
  ['a date, which other texts may equal', { a: '2024-01-01' }],
  ['an element that is null', { a: { $contains: null } }],
  ['an element of a file name', { filename: { $contains: 1 } }],
  ['null inside an object, among values', { 'a.b': { $in: [1, null] } }],
  ['values and an object inside an object', { 'a.b': { $in: [1, { c: 1 }] } }],
  ['a range', { a: { $gt: 1 } }],
  ['what exists', { a: { $exists: true } }],
  ['a type', { a: { $type: 'number' } }],
  ['a pattern', { a: { $regex: 'x' } }],
  ['a part of a text', { filename: { $contains: 'x' } }],
  ['what is denied', { a: { $ne: 1 } }],
  ['alternatives of which one is not found', { $or: [{ a: 1 }, { b: { $gt: 2 } }] }],
];

describe('what an index finds of a filter', () => {
  it.each(FOUND)('is the whole of %s', (_, filter) => {
    expect(findablePart(parsed(filter))).toEqual(parsed(filter));
  });

  it.each(TESTED)('is nothing of %s', (_, filter) => {
    expect(findablePart(parsed(filter))).toEqual(EVERYTHING);
  });

  it('is what is found among what has to hold', () => {
    const filter = { a: 1, b: { $ne: 2 }, $and: [{ c: 3 }, { d: { $gt: 4 } }] };
    expect(findablePart(parsed(filter))).toEqual(parsed({ a: 1, $and: [{ c: 3 }] }));
    expect(findablePart(EVERYTHING)).toEqual(EVERYTHING);
  });
});

overRows('an index over documents', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  /** Whether PostgreSQL would go by an index if reading all documents cost a fortune. */
  const isFound = async (filter: object): Promise<boolean> => {
    const { text, values } = sql`explain select from documents d where ${compileFilter(parsed(filter))}`;
    const lines = await database.dataSource.transaction(async (manager) => {
      await manager.query('set local enable_seqscan = off');
      return manager.query<Record<string, string>[]>(text, values);
    });
    return lines.some((line) => /Index (Only )?Scan/.test(line['QUERY PLAN'] ?? ''));
  };

  it.each(FOUND)('leads to %s', async (_, filter) => {
    expect(await isFound(filter)).toBe(true);
  });
});
