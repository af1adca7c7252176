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

describe('a type that nobody declared', () => {
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
  ])('is for %s %s, and the value stays', (json, type) => {
    expect(typed(`{"a":${json}}`)).toEqual([printJson({ a: parseJson(json) }), { a: type }]);
  });
});

describe('a value of a declared type', () => {
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
    ['null', 'null', 'null'],
    ['date', 'null', 'null'],
    ['number', 'null', 'null'],
  ])('%s: %s is stored as %s', (type, given, stored) => {
    const [metadata] = typed(`{"a":${given}}`, { declared: { a: type } });
    expect(metadata).toBe(`{"a":${stored}}`);
  });

  it.each([
    ['string', [1], 'a string, a number or a boolean, got an array'],
    ['string', {}, 'a string, a number or a boolean, got an object'],
    ['number', 'abc', 'a number or a string of one, got the string "abc"'],
    ['number', true, 'a number or a string of one, got the boolean true'],
    ['number', '1e400', 'a number or a string of one, got the string "1e400"'],
    ['decimal', 'NaN', 'a number or a string of one, got the string "NaN"'],
    ['decimal', false, 'a number or a string of one, got the boolean false'],
    ['decimal', [1], 'a number or a string of one, got an array'],
    ['boolean', 1, 'true or false, got the number 1'],
    ['boolean', 'yes', 'true or false, got the string "yes"'],
    ['datetime', 'soon', 'an ISO 8601 date-time, got the string "soon"'],
    ['datetime', 1704067200, 'an ISO 8601 date-time, got the number 1704067200'],
    ['date', '2024-01-01T10:00:00', 'an ISO 8601 date, got the string "2024-01-01T10:00:00"'],
    ['date', '2024-01-01T00:00:00+02:00', 'an ISO 8601 date, got the string "2024-01-01T00:00:00+02:00"'],
    ['date', '2024-02-30', 'an ISO 8601 date, got the string "2024-02-30"'],
    ['date', 20240101, 'an ISO 8601 date, got the number 20240101'],
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

  it('needs a value: a declaration alone stores nothing', () => {
    expect(typed('{"a":1}', { declared: { b: 'date' } })).toEqual(['{"a":1}', { a: 'number' }]);
  });
});

describe('a later value without a declaration', () => {
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
    ['date', 'null', 'null', 'date'],
    ['null', '5', '5', 'number'],
    ['unheard of', '5', '5', 'number'],
  ])('under the type %s: %s is stored as %s, a %s', (previous, given, stored, type) => {
    const previousTypes = { a: previous, toString: 'date' };
    expect(typed(`{"a":${given}}`, { previousTypes })).toEqual([`{"a":${stored}}`, { a: type }]);
  });

  it('takes a declaration before the type it had', () => {
    expect(typed('{"a":"5"}', { previousTypes: { a: 'string' }, declared: { a: 'number' } })).toEqual([
      '{"a":5}',
      { a: 'number' },
    ]);
  });
});

describe('metadata that cannot be stored', () => {
  it('is told everything that is wrong with it', () => {
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
      [['metadata', 'd'], 'the declared type date expects an ISO 8601 date, got the string "soon"'],
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
  ])('has a reserved name on its top level: %s', (key) => {
    expect(problemsOf({ [key]: 'x' }).map(({ loc }) => loc)).toEqual([['body', 'metadata', key]]);
    expect(problemsOf({ a: { [key]: 'x' } })).toEqual([]);
  });

  it('may send a reserved value back unchanged, which is left out', () => {
    const reserved = { external_id: 'id', folder_name: null };
    expect(typed('{"external_id":"id","folder_name":null,"a":1}', { reserved })).toEqual([
      '{"a":1}',
      { a: 'number' },
    ]);
    expect(problemsOf({ external_id: 'other' }, { reserved })).toHaveLength(1);
    expect(problemsOf({ folder_id: undefined }, { reserved })).toHaveLength(1);
  });

  it('is no object', () => {
    expect(problemsOf('x', { declared: [] })).toEqual([
      { loc: ['body', 'metadata'], msg: 'metadata expects an object, got the string "x"', type: 'dict_type' },
      {
        loc: ['body', 'metadata_types'],
        msg: 'metadata_types expects an object, got an array',
        type: 'dict_type',
      },
    ]);
  });

  it('nests more than 100 levels deep', () => {
    const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    expect(problemsOf({ a: nested(99) })).toEqual([]);
    expect(problemsOf({ a: nested(100) }).map(({ msg }) => msg)).toEqual([
      'metadata expects at most 100 levels of nesting, got more',
    ]);
  });
});

describe('metadata that is absent', () => {
  it.each([[null], [undefined]])('%s is empty', (metadata) => {
    expect(typeMetadata({ metadata, declared: metadata, ...PLACES })).toEqual({
      metadata: {},
      metadataTypes: {},
    });
  });
});

it('keeps the names that JavaScript knows', () => {
  expect(typed('{"__proto__":1,"constructor":"x"}')[0]).toBe('{"__proto__":1,"constructor":"x"}');
});

describe('a value that is not of its declared type', () => {
  it.each([
    ['string', [], 'a string, a number or a boolean', 'an array'],
    ['number', 'x', 'a number or a string of one', 'the string "x"'],
    ['decimal', true, 'a number or a string of one', 'the boolean true'],
    ['boolean', 1, 'true or false', 'the number 1'],
    ['datetime', '10:00', 'an ISO 8601 date-time', 'the string "10:00"'],
    ['date', '2024-02-30', 'an ISO 8601 date', 'the string "2024-02-30"'],
    ['array', {}, 'an array', 'an object'],
    ['object', [], 'an object', 'an array'],
    ['null', 0, 'null', 'the number 0'],
  ])('%s says what it expects', (type, value, expected, got) => {
    expect(problemsOf({ a: value }, { declared: { a: type } })).toEqual([
      {
        loc: ['body', 'metadata', 'a'],
        msg: `the declared type ${type} expects ${expected}, got ${got}`,
        type: 'value_error',
      },
    ]);
  });
});

const FOUND = { metadata: { a: 1, b: 'x' }, metadataTypes: { a: 'number', b: 'string' } };

describe('metadata over other metadata', () => {
  it('keeps the keys of both', () => {
    expect(overlaid(FOUND, { metadata: { c: 2 }, metadataTypes: { c: 'number' } })).toEqual({
      metadata: { a: 1, b: 'x', c: 2 },
      metadataTypes: { a: 'number', b: 'string', c: 'number' },
    });
  });

  it('takes value and type of a key that both have', () => {
    expect(overlaid(FOUND, { metadata: { a: 'one' }, metadataTypes: { a: 'string' } })).toEqual({
      metadata: { a: 'one', b: 'x' },
      metadataTypes: { a: 'string', b: 'string' },
    });
  });

  it('leaves a value without a type without one, whatever type the other had', () => {
    expect(overlaid(FOUND, { metadata: { a: 'one' }, metadataTypes: {} })).toEqual({
      metadata: { a: 'one', b: 'x' },
      metadataTypes: { b: 'string' },
    });
  });

  it('takes a type for a key that only the other has', () => {
    expect(overlaid(FOUND, { metadata: {}, metadataTypes: { b: 'decimal' } })).toEqual({
      metadata: { a: 1, b: 'x' },
      metadataTypes: { a: 'number', b: 'decimal' },
    });
  });
});

describe('metadata without keys', () => {
  it('has the others, with their types, and what is no key changes nothing', () => {
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
