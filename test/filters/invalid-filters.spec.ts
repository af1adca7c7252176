import { Invalid, type Location } from '../../src/errors/index.js';
import { ExactNumber } from '../../src/json/exact-json.js';
import { parseFilter } from '../../src/filters/parse/parse-filter.js';

const FILTERS = ['body', 'filters'];
const OPERATORS =
  '$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $type, $regex, $contains, $not, $and, $or, $nor';
const TYPES = 'string, number, decimal, boolean, datetime, date, array, object, null';
const CONTAINS =
  '$contains expects a string, {"value": string, "case_sensitive": boolean}, or a number, boolean or null';
const LAYERS_101 = Array.from({ length: 101 }).reduce<unknown>((inner) => ({ $not: inner }), { a: 1 });
const ARRAYS_101 = Array.from({ length: 101 }).reduce<unknown>((inner) => [inner], 1);

/** Filter, location of the error, message, and type if it is not `value_error`. */
type Row = readonly [filter: unknown, loc: Location, msg: string, type?: string];

const INVALID: readonly Row[] = [
  // Not a filter
  [5, [], 'a filter expects an object, got the number 5', 'dict_type'],
  ['a', [], 'a filter expects an object, got the string "a"', 'dict_type'],
  [[], [], 'a filter expects an object, got an array', 'dict_type'],
  [true, [], 'a filter expects an object, got the boolean true', 'dict_type'],
  [
    new ExactNumber('9007199254740993'),
    [],
    'a filter expects an object, got the number 9007199254740993',
    'dict_type',
  ],

  // Logical operators at the top level
  [{ $and: [] }, ['$and'], '$and expects a non-empty array of filter objects, got an empty array'],
  [{ $or: [] }, ['$or'], '$or expects a non-empty array of filter objects, got an empty array'],
  [{ $nor: [] }, ['$nor'], '$nor expects a non-empty array of filter objects, got an empty array'],
  [{ $and: {} }, ['$and'], '$and expects a non-empty array of filter objects, got an object', 'list_type'],
  [{ $or: null }, ['$or'], '$or expects a non-empty array of filter objects, got null', 'list_type'],
  [
    { $nor: 'a' },
    ['$nor'],
    '$nor expects a non-empty array of filter objects, got the string "a"',
    'list_type',
  ],
  [{ $and: [{ a: 1 }, 5] }, ['$and', 1], '$and expects filter objects, got the number 5', 'dict_type'],
  [{ $or: [null] }, ['$or', 0], '$or expects filter objects, got null', 'dict_type'],
  [{ $nor: [[{ a: 1 }]] }, ['$nor', 0], '$nor expects filter objects, got an array', 'dict_type'],
  [{ $not: [{ a: 1 }] }, ['$not'], '$not expects filter objects, got an array', 'dict_type'],
  [{ $not: null }, ['$not'], '$not expects filter objects, got null', 'dict_type'],
  [{ $eq: 1 }, ['$eq'], '$eq is not an operator here: a filter expects $and, $or, $nor, $not or field names'],
  [
    { $where: 'x' },
    ['$where'],
    '$where is not an operator here: a filter expects $and, $or, $nor, $not or field names',
  ],
  [{ $: 1 }, ['$'], '$ is not an operator here: a filter expects $and, $or, $nor, $not or field names'],
  [
    { $AND: [{ a: 1 }] },
    ['$AND'],
    '$AND is not an operator here: a filter expects $and, $or, $nor, $not or field names',
  ],
  [LAYERS_101, Array<string>(101).fill('$not'), '$not expects at most 100 levels of nesting, got more'],

  // Field names
  [{ '': 1 }, [''], 'a field name expects at least one character, got the empty name'],
  [{ 'a\0': 1 }, ['a\0'], 'a field name expects well-formed text, got a name with U+0000'],
  [{ 'a\ud800': 1 }, ['a\ud800'], 'a field name expects well-formed text, got a name with a lone surrogate'],
  [{ ['a'.repeat(1025)]: 1 }, ['a'.repeat(1025)], 'a field name expects at most 1024 characters, got 1025'],
  [{ ['😀'.repeat(1025)]: 1 }, ['😀'.repeat(1025)], 'a field name expects at most 1024 characters, got 1025'],
  [{ ['a.'.repeat(100)]: 1 }, ['a.'.repeat(100)], 'a dotted field name expects at most 100 levels, got 101'],
  [{ $and: [{ '': 1 }] }, ['$and', 0, ''], 'a field name expects at least one character, got the empty name'],

  // Equality
  [{ a: 'x\0' }, ['a'], 'equality expects well-formed text, got a string with U+0000'],
  [{ a: '\udfff' }, ['a'], 'equality expects well-formed text, got a string with a lone surrogate'],
  [{ a: ['b', 'x\0'] }, ['a', 1], 'equality expects well-formed text, got a string with U+0000'],
  [{ a: { b: { 'c\0': 1 } } }, ['a', 'b', 'c\0'], 'equality expects well-formed text, got a key with U+0000'],
  [{ a: { $eq: 'x\0' } }, ['a', '$eq'], '$eq expects well-formed text, got a string with U+0000'],
  [
    { a: { $ne: [{ b: '\ud800' }] } },
    ['a', '$ne', 0, 'b'],
    '$ne expects well-formed text, got a string with a lone surrogate',
  ],
  [
    { a: NaN },
    ['a'],
    'equality expects a number within the range of a double, got a number that is not finite',
  ],
  [
    { a: { $eq: Infinity } },
    ['a', '$eq'],
    '$eq expects a number within the range of a double, got a number that is not finite',
  ],
  [
    { a: new ExactNumber('1e400') },
    ['a'],
    'equality expects a number within the range of a double, got a number beyond the range of a double',
  ],
  [
    { a: new ExactNumber('-1e-400') },
    ['a'],
    'equality expects a number within the range of a double, got a number beyond the range of a double',
  ],
  [
    { a: new ExactNumber(`0.${'1'.repeat(1000)}`) },
    ['a'],
    'equality expects a number within the range of a double, got a number of more than 1000 characters',
  ],
  [
    { a: { b: 1, $gt: 2 } },
    ['a'],
    'a field expects either operators or a value, got an object that mixes $ keys with plain keys',
  ],
  [
    { a: ARRAYS_101 },
    ['a', ...Array<number>(101).fill(0)],
    'equality expects at most 100 levels of nesting, got more',
  ],
  [{ a: undefined }, ['a'], 'equality expects a JSON value, got nothing'],

  // Unknown operators
  [
    { a: { $elemMatch: {} } },
    ['a', '$elemMatch'],
    `$elemMatch is not an operator: a field expects ${OPERATORS}`,
  ],
  [{ a: { $GT: 1 } }, ['a', '$GT'], `$GT is not an operator: a field expects ${OPERATORS}`],
  [{ a: { $: 1 } }, ['a', '$'], `$ is not an operator: a field expects ${OPERATORS}`],
  [
    { a: { $__proto__: 1 } },
    ['a', '$__proto__'],
    `$__proto__ is not an operator: a field expects ${OPERATORS}`,
  ],

  // Order
  [{ a: { $gt: null } }, ['a', '$gt'], '$gt expects a number, a string or a boolean, got null'],
  [{ a: { $gte: [1] } }, ['a', '$gte'], '$gte expects a number, a string or a boolean, got an array'],
  [{ a: { $lt: { b: 1 } } }, ['a', '$lt'], '$lt expects a number, a string or a boolean, got an object'],
  [{ a: { $lte: undefined } }, ['a', '$lte'], '$lte expects a number, a string or a boolean, got nothing'],
  [
    { $and: [{ b: 1 }, { price: { $gt: {} } }] },
    ['$and', 1, 'price', '$gt'],
    '$gt expects a number, a string or a boolean, got an object',
  ],
  [
    { a: { $gt: NaN } },
    ['a', '$gt'],
    '$gt expects a number within the range of a double, got a number that is not finite',
  ],
  [{ a: { $lt: 'x\0' } }, ['a', '$lt'], '$lt expects well-formed text, got a string with U+0000'],

  // Membership
  [{ a: { $in: 5 } }, ['a', '$in'], '$in expects an array, got the number 5', 'list_type'],
  [{ a: { $in: 'abc' } }, ['a', '$in'], '$in expects an array, got the string "abc"', 'list_type'],
  [{ a: { $nin: null } }, ['a', '$nin'], '$nin expects an array, got null', 'list_type'],
  [{ a: { $nin: { 0: 1 } } }, ['a', '$nin'], '$nin expects an array, got an object', 'list_type'],
  [{ a: { $in: Array(10_001).fill(0) } }, ['a', '$in'], '$in expects at most 10000 members, got 10001'],
  [{ a: { $nin: Array(10_001).fill(0) } }, ['a', '$nin'], '$nin expects at most 10000 members, got 10001'],
  [
    { a: { $in: [1, { $gt: 5 }] } },
    ['a', '$in', 1],
    '$in expects values, got an object with the operator $gt',
  ],
  [
    { a: { $nin: [{ b: 1, $exists: true }] } },
    ['a', '$nin', 0],
    '$nin expects values, got an object with the operator $exists',
  ],
  [{ a: { $in: [1, 'x\0'] } }, ['a', '$in', 1], '$in expects well-formed text, got a string with U+0000'],
  [
    { a: { $in: [1, NaN] } },
    ['a', '$in', 1],
    '$in expects a number within the range of a double, got a number that is not finite',
  ],

  // Existence and type
  [{ a: { $exists: 1 } }, ['a', '$exists'], '$exists expects true or false, got the number 1', 'bool_type'],
  [
    { a: { $exists: 'true' } },
    ['a', '$exists'],
    '$exists expects true or false, got the string "true"',
    'bool_type',
  ],
  [{ a: { $exists: null } }, ['a', '$exists'], '$exists expects true or false, got null', 'bool_type'],
  [{ a: { $type: 'regex' } }, ['a', '$type'], `$type expects one of ${TYPES}, got the string "regex"`],
  [{ a: { $type: 2 } }, ['a', '$type'], `$type expects one of ${TYPES}, got the number 2`],
  [{ a: { $type: null } }, ['a', '$type'], `$type expects one of ${TYPES}, got null`],
  [{ a: { $type: [] } }, ['a', '$type'], '$type expects a non-empty array of type names, got an empty array'],
  [{ a: { $type: ['string', 'x'] } }, ['a', '$type', 1], `$type expects one of ${TYPES}, got the string "x"`],
  [{ a: { $type: '' } }, ['a', '$type'], `$type expects one of ${TYPES}, got the string ""`],

  // Patterns
  [{ a: { $regex: 5 } }, ['a', '$regex'], '$regex expects a pattern, got the number 5', 'string_type'],
  [{ a: { $regex: null } }, ['a', '$regex'], '$regex expects a pattern, got null', 'string_type'],
  [{ a: { $regex: {} } }, ['a', '$regex', 'pattern'], '$regex expects a pattern, got nothing', 'missing'],
  [
    { a: { $regex: { pattern: 1 } } },
    ['a', '$regex', 'pattern'],
    '$regex expects a pattern, got the number 1',
    'string_type',
  ],
  [
    { a: { $regex: { pattern: 'a', flags: 'g' } } },
    ['a', '$regex', 'flags'],
    '$regex expects the flags i, m, s and x, each at most once, got the string "g"',
  ],
  [
    { a: { $regex: { pattern: 'a', flags: 'ii' } } },
    ['a', '$regex', 'flags'],
    '$regex expects the flags i, m, s and x, each at most once, got the string "ii"',
  ],
  [
    { a: { $regex: { pattern: 'a', flags: 1 } } },
    ['a', '$regex', 'flags'],
    '$regex expects flags as a string, got the number 1',
    'string_type',
  ],
  [
    { a: { $regex: { pattern: 'a', flag: 'i' } } },
    ['a', '$regex', 'flag'],
    '$regex expects the keys pattern and flags only',
    'extra_forbidden',
  ],
  [
    { a: { $regex: 'a', $options: 'u' } },
    ['a', '$options'],
    '$regex expects the flags i, m, s and x, each at most once, got the string "u"',
  ],
  [
    { a: { $regex: 'a', $options: null } },
    ['a', '$options'],
    '$regex expects flags as a string, got null',
    'string_type',
  ],
  [
    { a: { $regex: { pattern: 'a', flags: 'i' }, $options: 'i' } },
    ['a', '$options'],
    '$regex expects the flags i, m, s and x, each at most once, got the string "i"',
  ],
  [{ a: { $options: 'i' } }, ['a', '$options'], '$options expects a $regex in the same object, got none'],
  [
    { a: { $regex: '(' } },
    ['a', '$regex'],
    '$regex expects a supported RE2 pattern: error parsing regexp: missing closing ): `(`',
  ],
  [
    { a: { $regex: '(?=a)' } },
    ['a', '$regex'],
    '$regex expects a supported RE2 pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
  ],
  [
    { a: { $regex: '(a)\\1' } },
    ['a', '$regex'],
    '$regex expects a supported RE2 pattern: error parsing regexp: invalid escape sequence: `\\1`',
  ],
  [
    { a: { $regex: { pattern: '[z-a]' } } },
    ['a', '$regex', 'pattern'],
    '$regex expects a supported RE2 pattern: error parsing regexp: invalid character class range: `z-a`',
  ],
  [
    { a: { $regex: 'a{2,1}' } },
    ['a', '$regex'],
    '$regex expects a supported RE2 pattern: error parsing regexp: invalid repeat count: `{2,1}`',
  ],
  [{ a: { $regex: 'a\0' } }, ['a', '$regex'], '$regex expects a well-formed pattern, got one with U+0000'],
  [{ a: { $regex: 'a'.repeat(1001) } }, ['a', '$regex'], '$regex expects at most 1000 characters, got 1001'],
  [
    { a: { $regex: '(a?){250}a{250}' } },
    ['a', '$regex'],
    '$regex expects a supported RE2 pattern: the pattern is too complex: with expanded repetitions, it has more than 200 classes, alternatives and optional characters',
  ],
  [
    { a: { $regex: '[ab]*a[ab]{500}' } },
    ['a', '$regex'],
    '$regex expects a supported RE2 pattern: the pattern is too complex: with expanded repetitions, it has more than 200 classes, alternatives and optional characters',
  ],

  // Literal text
  [{ a: { $contains: [1] } }, ['a', '$contains'], `${CONTAINS}, got an array`],
  [{ a: { $contains: undefined } }, ['a', '$contains'], `${CONTAINS}, got nothing`],
  [
    { a: { $contains: {} } },
    ['a', '$contains', 'value'],
    '$contains expects a string for value, got nothing',
    'missing',
  ],
  [
    { a: { $contains: { value: 5 } } },
    ['a', '$contains', 'value'],
    '$contains expects a string for value, got the number 5',
    'string_type',
  ],
  [
    { a: { $contains: { value: 'x', case_sensitive: 'no' } } },
    ['a', '$contains', 'case_sensitive'],
    '$contains expects true or false for case_sensitive, got the string "no"',
    'bool_type',
  ],
  [
    { a: { $contains: { value: 'x', caseSensitive: true } } },
    ['a', '$contains', 'caseSensitive'],
    '$contains expects the keys value and case_sensitive only',
    'extra_forbidden',
  ],
  [
    { a: { $contains: 'x\0' } },
    ['a', '$contains'],
    '$contains expects well-formed text, got a string with U+0000',
  ],
  [
    { a: { $contains: { value: '\ud800' } } },
    ['a', '$contains', 'value'],
    '$contains expects well-formed text, got a string with a lone surrogate',
  ],
  [
    { a: { $contains: NaN } },
    ['a', '$contains'],
    '$contains expects a number within the range of a double, got a number that is not finite',
  ],

  // Logical operators inside a field
  [{ a: { $not: 5 } }, ['a', '$not'], '$not expects an object of operators, got the number 5', 'dict_type'],
  [{ a: { $not: {} } }, ['a', '$not'], '$not expects an object of operators, got an empty object'],
  [
    { a: { $not: { b: 1 } } },
    ['a', '$not'],
    '$not expects an object of operators, got an object with the plain key "b"',
  ],
  [
    { a: { $and: [] } },
    ['a', '$and'],
    '$and expects a non-empty array of operator objects, got an empty array',
  ],
  [
    { a: { $or: { $gt: 1 } } },
    ['a', '$or'],
    '$or expects a non-empty array of operator objects, got an object',
    'list_type',
  ],
  [
    { a: { $nor: [5] } },
    ['a', '$nor', 0],
    '$nor expects an object of operators, got the number 5',
    'dict_type',
  ],
  [
    { a: { $and: [{ $gt: 1 }, { $gt: 1, b: 2 }] } },
    ['a', '$and', 1],
    '$and expects an object of operators, got an object with the plain key "b"',
  ],
  [
    { a: { $or: [{ $gt: null }] } },
    ['a', '$or', 0, '$gt'],
    '$gt expects a number, a string or a boolean, got null',
  ],
  [
    { a: { $not: { $regex: '(' } } },
    ['a', '$not', '$regex'],
    '$regex expects a supported RE2 pattern: error parsing regexp: missing closing ): `(`',
  ],
  [
    { a: Array.from({ length: 101 }).reduce<unknown>((inner) => ({ $not: inner }), { $gt: 1 }) },
    ['a', ...Array<string>(101).fill('$not')],
    '$not expects at most 100 levels of nesting, got more',
  ],
  [{ filename: { $gt: null } }, ['filename', '$gt'], '$gt expects a number, a string or a boolean, got null'],
];

function itemsOf(filter: unknown): Invalid['items'] {
  try {
    parseFilter(filter, FILTERS);
  } catch (error) {
    if (error instanceof Invalid) return error.items;
    throw error;
  }
  return [];
}

describe('an invalid filter', () => {
  it.each(INVALID.map((row, index) => [`${index + 1}: ${row[2].slice(0, 60)}`, row] as const))(
    '%s',
    (_, row) => {
      const [filter, loc, msg, type = 'value_error'] = row;
      expect(itemsOf(filter)).toEqual([{ loc: [...FILTERS, ...loc], msg, type }]);
    },
  );

  it('reports all errors', () => {
    const filter = { '': { $gt: null }, b: { $in: 5, $foo: 1 }, $or: [{ c: { $regex: '(' } }, 7] };
    expect(itemsOf(filter).map(({ loc }) => loc.slice(2).join('.'))).toEqual([
      '',
      '.$gt',
      'b.$in',
      'b.$foo',
      '$or.0.c.$regex',
      '$or.1',
    ]);
  });

  it('reports more than 1,000 predicates once', () => {
    const filter = { $and: Array.from({ length: 1_100 }, () => ({ a: { $gt: 1 } })) };
    const loc = [...FILTERS, '$and', 1_000, 'a', '$gt'];
    expect(itemsOf(filter)).toEqual([
      { loc, msg: 'a filter expects at most 1000 predicates, got more', type: 'value_error' },
    ]);
  });

  it('counts predicates of every kind', () => {
    const kinds = [{ a: 1 }, { a: { $in: [1, 2] } }, { a: { $exists: true } }, { a: { $not: { $gt: 1 } } }];
    const filter = { $and: Array.from({ length: 1_001 }, (_, index) => kinds[index % kinds.length]) };
    expect(itemsOf(filter).map(({ loc }) => loc)).toEqual([[...FILTERS, '$and', 1_000, 'a']]);
  });

  it('accepts field names with 10,000 levels together', () => {
    const path = Array(100).fill('a').join('.');
    const filter = (count: number) => ({
      [path]: { $and: Array.from({ length: count }, () => ({ $gt: 1 })) },
    });
    expect(itemsOf(filter(100))).toEqual([]);
    expect(itemsOf(filter(105))).toEqual([
      {
        loc: [...FILTERS, path, '$and', 100, '$gt'],
        msg: 'a filter expects at most 10000 levels in all its field names, got more',
        type: 'value_error',
      },
    ]);
  });

  it('accepts 32 distinct patterns, each any number of times', () => {
    const patterns = (count: number) => ({
      $or: Array.from({ length: 900 }, (_, index) => ({ a: { $regex: `p${index % count}` } })),
    });
    expect(itemsOf(patterns(32))).toEqual([]);
    expect(itemsOf(patterns(900))).toEqual([
      {
        loc: [...FILTERS, '$or', 32, 'a', '$regex'],
        msg: 'a filter expects at most 32 different $regex patterns of 4000 parts together, got more',
        type: 'value_error',
      },
    ]);
  });

  it('rejects the pattern that exceeds 4,000 parts together', () => {
    const filter = { $or: Array.from('abcde', (letter) => ({ a: { $regex: `${letter}{990}` } })) };
    expect(itemsOf(filter).map(({ loc }) => loc)).toEqual([[...FILTERS, '$or', 4, 'a', '$regex']]);
  });

  it('accepts patterns of 4,000 parts together, with expanded repetitions', () => {
    const patterns = (count: number) => ({
      $or: Array.from({ length: count }, (_, index) => ({ a: { $regex: `a{499}${index}` } })),
    });
    expect(itemsOf(patterns(8))).toEqual([]);
    expect(itemsOf(patterns(9))).toEqual([
      {
        loc: [...FILTERS, '$or', 8, 'a', '$regex'],
        msg: 'a filter expects at most 32 different $regex patterns of 4000 parts together, got more',
        type: 'value_error',
      },
    ]);
  });
});

describe('a value that is no filter', () => {
  it.each([[null], [undefined], [{}]])('%j', (filter) => {
    expect(parseFilter(filter, FILTERS)).toBeNull();
  });
});
