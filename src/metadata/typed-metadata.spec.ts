import { Invalid } from '../errors/index.js';
import { parseJson, printJson } from '../json/exact-json.js';
import { omit, omitTyped, overlaid, typeMetadata, type UntypedMetadata } from './typed-metadata.js';

const PLACES = { loc: ['body', 'metadata'], typesLoc: ['body', 'metadata_types'] };

function typed(metadata: string, rest: Partial<UntypedMetadata> = {}): readonly [string, unknown] {
  const result = typeMetadata({ metadata: parseJson(metadata), ...PLACES, ...rest });
  return [printJson(result.metadata), result.metadataTypes];
}

function problemsOf(metadata: unknown, rest: Partial<UntypedMetadata> = {}): Invalid['items'] {
  try {
    typeMetadata({ metadata, ...PLACES, ...rest });
  } catch (error) {
    if (error instanceof Invalid) return error.items;
    throw error;
  }
  return [];
}

describe('an inferred type', () => {
  it.each([
    ['1', 'number'],
    ['9007199254740993', 'number'],
    ['true', 'boolean'],
    ['null', 'null'],
    ['[1]', 'array'],
    ['{"b": 1}', 'object'],
    ['"x"', 'string'],
    ['"0.10"', 'string'],
    ['"2024-01-01"', 'string'],
    ['"2024-01-01T10:00Z"', 'string'],
    ['"2024-01-01T10:00:00"', 'datetime'],
    ['"2024-01-01T10:00+02:00"', 'datetime'],
    ['"2024-01-01 10:00:00"', 'datetime'],
    ['"2024-02-30T10:00:00"', 'string'],
    ['["2024-01-01T10:00:00"]', 'array'],
  ])('of %s is %s and leaves the value unchanged', (json, type) => {
    expect(typed(`{"a":${json}}`)).toEqual([printJson({ a: parseJson(json) }), { a: type }]);
  });
});

const SAID = {
  boolean: 'true or false, yes or no, on or off, or a number',
  datetime: 'an ISO 8601 date-time or seconds since 1970',
  date: 'an ISO 8601 date or date-time or seconds since 1970',
};

describe('a declared type', () => {
  it.each([
    ['string', '"x"', '"x"'],
    ['text', '9007199254740993', '"9007199254740993"'],
    ['str', 'true', '"true"'],
    ['string', '"2024-01-01T10:00:00"', '"2024-01-01T10:00:00"'],
    ['number', '1.5', '1.5'],
    ['int', '"9007199254740993"', '9007199254740993'],
    ['FLOAT', '"1e3"', '1000'],
    ['decimal', '"0.10"', '"0.1"'],
    ['decimal', '0.1', '"0.1"'],
    ['Decimal', '1e21', '"1000000000000000000000"'],
    ['boolean', 'false', 'false'],
    ['bool', '"TRUE"', 'true'],
    ['boolean', '"false"', 'false'],
    ['datetime', '"2024-01-01T10:00+02:00"', '"2024-01-01T10:00+02:00"'],
    ['timestamp', '"2024-01-01"', '"2024-01-01T00:00:00Z"'],
    ['date', '"2024-01-01"', '"2024-01-01"'],
    ['date', '"2024-01-01T00:00:00.000Z"', '"2024-01-01"'],
    ['date', '"2024-01-01T00:00:00+00:00"', '"2024-01-01"'],
    ['array', '[1]', '[1]'],
    ['list', '[]', '[]'],
    ['object', '{"b":1}', '{"b":1}'],
    ['dict', '{}', '{}'],
    ['number', '" 12 "', '12'],
    ['number', '"\\n-1.5e1\\t"', '-15'],
    ['decimal', '" 0.10 "', '"0.1"'],
    ['boolean', '"Yes"', 'true'],
    ['boolean', '"NO"', 'false'],
    ['boolean', '"on"', 'true'],
    ['boolean', '"Off"', 'false'],
    ['boolean', '"y"', 'true'],
    ['boolean', '"N"', 'false'],
    ['boolean', '"1"', 'true'],
    ['boolean', '"0"', 'false'],
    ['boolean', '1', 'true'],
    ['boolean', '-0.5', 'true'],
    ['boolean', '0.0', 'false'],
    ['boolean', '0e9', 'false'],
    ['datetime', '0', '"1970-01-01T00:00:00Z"'],
    ['datetime', '1704067200', '"2024-01-01T00:00:00Z"'],
    ['datetime', '1704067200.25', '"2024-01-01T00:00:00.25Z"'],
    ['datetime', '1704067200.1234567891', '"2024-01-01T00:00:00.123456789Z"'],
    ['datetime', '-0.5', '"1969-12-31T23:59:59.5Z"'],
    ['datetime', '-62135596800', '"0001-01-01T00:00:00Z"'],
    ['datetime', '253402300799', '"9999-12-31T23:59:59Z"'],
    ['date', '1704110400', '"2024-01-01"'],
    ['date', '-1', '"1969-12-31"'],
    ['date', '"2024-01-01T23:59:59-05:00"', '"2024-01-01"'],
    ['date', '"2024-01-01 10:00:00"', '"2024-01-01"'],
    ['null', 'null', 'null'],
    ['date', 'null', 'null'],
    ['number', 'null', 'null'],
  ])('%s converts %s to %s', (type, given, stored) => {
    const [metadata] = typed(`{"a":${given}}`, { declared: { a: type } });
    expect(metadata).toBe(`{"a":${stored}}`);
  });

  it.each([
    ['string', [1], 'a string, a number or a boolean, got an array'],
    ['string', {}, 'a string, a number or a boolean, got an object'],
    ['number', 'abc', 'a number or a numeric string, got the string "abc"'],
    ['number', true, 'a number or a numeric string, got the boolean true'],
    ['number', '1e400', 'a number or a numeric string, got the string "1e400"'],
    ['decimal', 'NaN', 'a number or a numeric string, got the string "NaN"'],
    ['decimal', false, 'a number or a numeric string, got the boolean false'],
    ['decimal', [1], 'a number or a numeric string, got an array'],
    ['boolean', 'maybe', `${SAID.boolean}, got the string "maybe"`],
    ['boolean', ' yes', `${SAID.boolean}, got the string " yes"`],
    ['boolean', '', `${SAID.boolean}, got the string ""`],
    ['boolean', '2', `${SAID.boolean}, got the string "2"`],
    ['datetime', 'soon', `${SAID.datetime}, got the string "soon"`],
    ['datetime', '1704067200', `${SAID.datetime}, got the string "1704067200"`],
    ['datetime', true, `${SAID.datetime}, got the boolean true`],
    ['datetime', 253402300800, `${SAID.datetime}, got the number 253402300800`],
    ['datetime', -62135596801, `${SAID.datetime}, got the number -62135596801`],
    ['datetime', 1e300, `${SAID.datetime}, got the number 1e+300`],
    ['date', '2024-02-30', `${SAID.date}, got the string "2024-02-30"`],
    ['date', '2024', `${SAID.date}, got the string "2024"`],
    ['date', [1], `${SAID.date}, got an array`],
    ['array', 'x', 'an array, got the string "x"'],
    ['array', {}, 'an array, got an object'],
    ['object', [], 'an object, got an array'],
    ['null', 0, 'null, got the number 0'],
  ])('%s refuses %j', (type, value, expected) => {
    expect(problemsOf({ a: value }, { declared: { a: type } })).toEqual([
      {
        loc: ['body', 'metadata', 'a'],
        msg: `the declared type ${type} expects ${expected}`,
        type: 'value_error',
      },
    ]);
  });

  it('without a value stores nothing', () => {
    expect(typed('{"a":1}', { declared: { b: 'date' } })).toEqual(['{"a":1}', { a: 'number' }]);
  });
});

describe('an undeclared value of a typed key', () => {
  it.each([
    ['decimal', '"5.10"', '"5.1"', 'decimal'],
    ['decimal', '5.10', '"5.1"', 'decimal'],
    ['decimal', '"abc"', '"abc"', 'string'],
    ['date', '"2024-02-01"', '"2024-02-01"', 'date'],
    ['date', '"2024-02-01T10:00:00Z"', '"2024-02-01T10:00:00Z"', 'datetime'],
    ['datetime', '"2024-02-01"', '"2024-02-01T00:00:00Z"', 'datetime'],
    ['string', '"2024-02-01T10:00:00Z"', '"2024-02-01T10:00:00Z"', 'string'],
    ['string', '5', '5', 'number'],
    ['number', '"5"', '5', 'number'],
    ['number', '"five"', '"five"', 'string'],
    ['number', '6', '6', 'number'],
    ['boolean', '"true"', 'true', 'boolean'],
    ['boolean', '"yes"', '"yes"', 'string'],
    ['boolean', '1', '1', 'number'],
    ['datetime', '1704067200', '1704067200', 'number'],
    ['number', '" 5 "', '" 5 "', 'string'],
    ['date', 'null', 'null', 'date'],
    ['null', '5', '5', 'number'],
    ['unheard of', '5', '5', 'number'],
  ])('of type %s: %s is stored as %s, a %s', (previous, given, stored, type) => {
    const previousTypes = { a: previous, toString: 'date' };
    expect(typed(`{"a":${given}}`, { previousTypes })).toEqual([`{"a":${stored}}`, { a: type }]);
  });

  it('prefers a declaration to the previous type', () => {
    expect(typed('{"a":"5"}', { previousTypes: { a: 'string' }, declared: { a: 'number' } })).toEqual([
      '{"a":5}',
      { a: 'number' },
    ]);
  });
});

describe('invalid metadata', () => {
  it('is rejected with all its problems', () => {
    const metadata = {
      filename: 'x',
      end_user_id: null,
      'k\0': 1,
      a: ['ok', { b: 'x\ud800' }],
      c: { '\udc00': 1 },
      n: Number.NaN,
      d: 'soon',
    };
    const declared = { d: 'date', e: 'colour', f: 5 };
    expect(problemsOf(metadata, { declared }).map(({ loc, msg }) => [loc.slice(1), msg])).toEqual([
      [
        ['metadata_types', 'e'],
        'a metadata type expects one of string, number, decimal, boolean, datetime, date, array, object, null, got the string "colour"',
      ],
      [
        ['metadata_types', 'f'],
        'a metadata type expects one of string, number, decimal, boolean, datetime, date, array, object, null, got the number 5',
      ],
      [['metadata', 'filename'], 'filename is a reserved name and cannot be set through metadata'],
      [['metadata', 'end_user_id'], 'end_user_id is a reserved name and cannot be set through metadata'],
      [['metadata', 'k\0'], 'metadata expects well-formed text, got a key with U+0000'],
      [['metadata', 'a', 1, 'b'], 'metadata expects well-formed text, got a string with a lone surrogate'],
      [['metadata', 'c', '\udc00'], 'metadata expects well-formed text, got a key with a lone surrogate'],
      [
        ['metadata', 'n'],
        'metadata expects a number within the range of a double, got a number that is not finite',
      ],
      [
        ['metadata', 'd'],
        'the declared type date expects an ISO 8601 date or date-time or seconds since 1970, got the string "soon"',
      ],
    ]);
  });

  it.each([
    'folder_name',
    'folder_id',
    'folder_path',
    'external_id',
    'filename',
    'app_id',
    'owner_id',
    'end_user_id',
  ])('is rejected for the reserved top-level key %s', (key) => {
    expect(problemsOf({ [key]: 'x' }).map(({ loc }) => loc)).toEqual([['body', 'metadata', key]]);
    expect(problemsOf({ a: { [key]: 'x' } })).toEqual([]);
  });

  it('is not rejected for an unchanged reserved value, which is left out', () => {
    const reserved = { external_id: 'id', folder_name: null };
    expect(typed('{"external_id":"id","folder_name":null,"a":1}', { reserved })).toEqual([
      '{"a":1}',
      { a: 'number' },
    ]);
    expect(problemsOf({ external_id: 'other' }, { reserved })).toHaveLength(1);
    expect(problemsOf({ folder_id: undefined }, { reserved })).toHaveLength(1);
  });

  it('is rejected when it is not an object', () => {
    expect(problemsOf('x', { declared: [] })).toEqual([
      { loc: ['body', 'metadata'], msg: 'metadata expects an object, got the string "x"', type: 'dict_type' },
      {
        loc: ['body', 'metadata_types'],
        msg: 'metadata_types expects an object, got an array',
        type: 'dict_type',
      },
    ]);
  });

  it('is rejected when nested more than 100 levels deep', () => {
    const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    expect(problemsOf({ a: nested(99) })).toEqual([]);
    expect(problemsOf({ a: nested(100) }).map(({ msg }) => msg)).toEqual([
      'metadata expects at most 100 levels of nesting, got more',
    ]);
  });
});

describe('absent metadata', () => {
  it.each([[null], [undefined]])('%s is empty', (metadata) => {
    expect(typeMetadata({ metadata, declared: metadata, ...PLACES })).toEqual({
      metadata: {},
      metadataTypes: {},
    });
  });
});

it('keeps keys such as __proto__ and constructor', () => {
  expect(typed('{"__proto__":1,"constructor":"x"}')[0]).toBe('{"__proto__":1,"constructor":"x"}');
});

describe('a declaration without a value', () => {
  const stored = { when: '1.5', done: 'yes', none: null };
  const retyped = (declared: object) => typed('{"b":1}', { declared, stored });

  it('converts the stored value', () => {
    expect(retyped({ when: 'number', done: 'boolean', none: 'date' })).toEqual([
      '{"b":1,"when":1.5,"done":true,"none":null}',
      { b: 'number', when: 'number', done: 'boolean', none: 'date' },
    ]);
  });

  it('prefers a value in the request to the stored one', () => {
    expect(typed('{"when":"2"}', { declared: { when: 'string' }, stored })[0]).toBe('{"when":"2"}');
  });

  it('is ignored without a stored value', () => {
    expect(retyped({ else: 'number' })[0]).toBe('{"b":1}');
  });

  it('is rejected when the stored value cannot be converted', () => {
    expect(problemsOf({}, { declared: { when: 'number', done: 'date' }, stored })).toEqual([
      {
        loc: ['body', 'metadata_types', 'done'],
        msg: `the declared type date expects ${SAID.date}, got the string "yes"`,
        type: 'value_error',
      },
    ]);
  });
});

const FOUND = { metadata: { a: 1, b: 'x' }, metadataTypes: { a: 'number', b: 'string' } };

describe('overlaid', () => {
  it('keeps the keys of both', () => {
    expect(overlaid(FOUND, { metadata: { c: 2 }, metadataTypes: { c: 'number' } })).toEqual({
      metadata: { a: 1, b: 'x', c: 2 },
      metadataTypes: { a: 'number', b: 'string', c: 'number' },
    });
  });

  it('prefers value and type of the upper metadata', () => {
    expect(overlaid(FOUND, { metadata: { a: 'one' }, metadataTypes: { a: 'string' } })).toEqual({
      metadata: { a: 'one', b: 'x' },
      metadataTypes: { a: 'string', b: 'string' },
    });
  });

  it('gives an untyped upper value no type from below', () => {
    expect(overlaid(FOUND, { metadata: { a: 'one' }, metadataTypes: {} })).toEqual({
      metadata: { a: 'one', b: 'x' },
      metadataTypes: { b: 'string' },
    });
  });

  it('adds a type for a key with a value below only', () => {
    expect(overlaid(FOUND, { metadata: {}, metadataTypes: { b: 'decimal' } })).toEqual({
      metadata: { a: 1, b: 'x' },
      metadataTypes: { a: 'number', b: 'decimal' },
    });
  });
});

describe('omitTyped', () => {
  it('removes keys with their types and ignores unknown keys', () => {
    expect(omitTyped(FOUND, ['a', 'z'])).toEqual({ metadata: { b: 'x' }, metadataTypes: { b: 'string' } });
    expect(omit({ a: 1, b: 2 }, ['b'])).toEqual({ a: 1 });
  });

  it('keeps keys that JavaScript treats specially', () => {
    const values = Object.fromEntries([
      ['__proto__', 1],
      ['a', 2],
    ]);
    expect(Object.entries(omit(values, ['a']))).toEqual([['__proto__', 1]]);
  });
});
