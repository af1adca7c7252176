import type { ArgumentMetadata } from '@nestjs/common';
import { ArrayUnique } from 'class-validator';
import { settingsWith } from '../../../test/support/settings.js';
import { Invalid } from '../../errors/index.js';
import { parseJson, printJson } from '../../json/exact-json.js';
import {
  ChoiceListField,
  IntegerField,
  JsonObjectField,
  NestedListField,
  NumberField,
  TextField,
  TextListField,
} from './fields.js';
import { InputPipe } from './input.pipe.js';
import { Closed } from './input.pipe.js';

const description = 'A member.';

@Closed()
class Part {
  @TextField({ description, required: true, maxLength: 2 })
  name: string;

  @JsonObjectField({ description, nullable: true })
  free: object | null = null;
}

class Body {
  @IntegerField({ description, min: 1, max: 9 })
  count = 4;

  @NumberField({ description })
  weight = 0.5;

  @TextListField({ description, maxSize: 4 })
  names: string[] = [];

  @ArrayUnique({ message: 'Value error, twice the same' })
  @ChoiceListField({ description, values: ['a', 'b'] })
  kinds: string[] = [];

  @JsonObjectField({ description })
  free: object = {};

  @NestedListField({ description, type: () => Part })
  parts: Part[] = [];
}

class Paging {
  @IntegerField({ inText: true, description, min: 0 })
  skip = 0;
}

const pipe = new InputPipe(settingsWith());
const read = (value: unknown, metatype: ArgumentMetadata['metatype'] = Body): unknown =>
  pipe.transform(value, { type: metatype === Paging ? 'query' : 'body', metatype });

function refusals(value: unknown, metatype?: ArgumentMetadata['metatype']): string[] {
  try {
    read(value, metatype);
    return [];
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return error.items.map(({ loc, type, msg }) => `${loc.join('.')} ${type}: ${msg}`);
  }
}

describe('the input of a route', () => {
  it('is an instance of its class, with the defaults of absent members', () => {
    const body = read({ parts: [{ name: 'x' }] });
    expect(body).toBeInstanceOf(Body);
    expect(body).toEqual({
      count: 4,
      weight: 0.5,
      names: [],
      kinds: [],
      free: {},
      parts: [{ name: 'x', free: null }],
    });
    expect((body as Body).parts[0]).toBeInstanceOf(Part);
  });

  it('keeps free-form members unchanged, at every level', () => {
    const free = parseJson('{"__proto__":{"constructor":null},"n":9007199254740993,"then":[{}]}') as object;
    const body = read({ free, parts: [{ name: 'x', free }] }) as Body;
    expect(body.free).toBe(free);
    expect(body.parts[0]?.free).toBe(free);
    expect(printJson(body.free)).toBe('{"__proto__":{"constructor":null},"n":9007199254740993,"then":[{}]}');
  });

  it('ignores undeclared members, and sets no prototype', () => {
    const body = read(parseJson('{"__proto__":{"count":1},"constructor":7,"other":[[]]}'));
    expect(Object.getPrototypeOf(body)).toBe(Body.prototype);
    expect(body).toMatchObject({ count: 4 });
  });

  it('may be 100,000 levels deep anywhere, and is rejected or ignored', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const places = `"other":${deep},"count":${deep},"weight":${deep},"names":${deep},"kinds":${deep}`;
    const body = parseJson(`{${places},"free":{"a":${deep}},"parts":[${deep},{"name":${deep}}]}`);
    expect(refusals(body)).toEqual([
      'body.count int_type: Input should be a valid integer',
      'body.weight float_type: Input should be a valid number',
      'body.names.0 string_type: Input should be a valid string',
      "body.kinds.0 enum: Input should be 'a' or 'b'",
      'body.free value_error: Value error, JSON must not be nested deeper than 500 levels',
      'body.parts.0 dict_type: Input should be a valid dictionary',
      'body.parts.1.name string_type: Input should be a valid string',
    ]);
  });

  it('accepts numbers of many digits as thresholds and counts', () => {
    expect(read(parseJson('{"count":5.0,"weight":0.1000000000000000055}'))).toMatchObject({
      count: 5,
      weight: 0.1,
    });
    expect(refusals(parseJson('{"count":5.00000000000000000001}'))).toEqual([
      'body.count int_type: Input should be a valid integer',
    ]);
    expect(refusals(parseJson('{"count":1e400,"weight":1e400}'))).toEqual([
      'body.count less_than_equal: Input should be less than or equal to 9',
    ]);
    expect(refusals(parseJson('{"free":9007199254740993}'))).toEqual([
      'body.free dict_type: Input should be a valid dictionary',
    ]);
  });

  it('reports the errors of each element', () => {
    expect(refusals({ names: ['a', 5, 'b\0', 'c'], kinds: ['c', 'a', null] })).toEqual([
      'body.names.1 string_type: Input should be a valid string',
      'body.names.2 value_error: Value error, text must not contain U+0000 or lone surrogates',
      "body.kinds.0 enum: Input should be 'a' or 'b'",
      "body.kinds.2 enum: Input should be 'a' or 'b'",
    ]);
    expect(refusals({ names: 'abcde'.split('') })).toEqual([
      'body.names value_error: Value error, a list has at most 4 members',
    ]);
  });

  it('reports other constraints of class-validator with their own messages', () => {
    expect(refusals({ kinds: ['a', 'a'] })).toEqual(['body.kinds value_error: Value error, twice the same']);
  });

  it('counts characters as graphemes', () => {
    expect(refusals({ parts: [{ name: '\u{1F600}\u{1F600}' }, { name: 'abc' }] })).toEqual([
      'body.parts.1.name value_error: Value error, String should have at most 2 characters',
    ]);
  });

  it('reports every unknown member of a closed class after the declared ones', () => {
    const part = '{"toString":1,"__proto__":2,"name":3,"constructor":4}';
    expect(refusals(parseJson(`{"parts":[${part}]}`))).toEqual([
      'body.parts.0.name string_type: Input should be a valid string',
      'body.parts.0.toString extra_forbidden: Extra inputs are not permitted',
      'body.parts.0.__proto__ extra_forbidden: Extra inputs are not permitted',
      'body.parts.0.constructor extra_forbidden: Extra inputs are not permitted',
    ]);
  });

  it('must be present, and an object', () => {
    expect(refusals(undefined)).toEqual(['body missing: Field required']);
    for (const value of [null, [], 'text', 5, true]) {
      expect(refusals(value)).toEqual(['body dict_type: Input should be a valid dictionary']);
    }
  });

  it('converts text to numbers in query strings only', () => {
    expect(read({ skip: '12', other: 'x' }, Paging)).toEqual({ skip: 12 });
    expect(refusals({ skip: '0x10' }, Paging)).toEqual([
      'query.skip int_type: Input should be a valid integer',
    ]);
    expect(refusals({ count: '5' })).toEqual(['body.count int_type: Input should be a valid integer']);
  });

  it('is unchanged without a declared class', () => {
    expect(pipe.transform('a', { type: 'param', metatype: String, data: 'id' })).toBe('a');
    expect(pipe.transform(undefined, { type: 'body', metatype: Object })).toBeUndefined();
  });
});
