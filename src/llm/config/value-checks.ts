import type { InvalidItem, InvalidType, Location } from '../../errors/index.js';

/** Says what is wrong with a value at a place; nothing when it is fine. */
export type Check = (value: unknown, loc: Location) => InvalidItem[];

function wrong(loc: Location, msg: string, type: InvalidType): InvalidItem[] {
  return [{ loc, msg, type }];
}

export const text: Check = (value, loc) => {
  if (typeof value !== 'string') return wrong(loc, 'Input should be a valid string', 'string_type');
  return value === '' ? wrong(loc, 'String should have at least 1 character', 'string_too_short') : [];
};

export const flag: Check = (value, loc) =>
  typeof value === 'boolean' ? [] : wrong(loc, 'Input should be a valid boolean', 'bool_type');

interface Range {
  readonly above?: number;
  readonly min?: number;
  readonly max?: number;
}

export function number({ above, min, max }: Range): Check {
  return (value, loc) => {
    if (typeof value !== 'number' || !Number.isFinite(value))
      return wrong(loc, 'Input should be a valid number', 'float_type');
    if (above !== undefined && value <= above)
      return wrong(loc, `Input should be greater than ${above}`, 'greater_than');
    if (min !== undefined && value < min)
      return wrong(loc, `Input should be greater than or equal to ${min}`, 'greater_than_equal');
    if (max !== undefined && value > max)
      return wrong(loc, `Input should be less than or equal to ${max}`, 'less_than_equal');
    return [];
  };
}

export function integer(range: Range): Check {
  const inRange = number(range);
  return (value, loc) =>
    Number.isSafeInteger(value)
      ? inRange(value, loc)
      : wrong(loc, 'Input should be a valid integer', 'int_type');
}

export const textOrTexts: Check = (value, loc) =>
  Array.isArray(value)
    ? value.flatMap((member: unknown, index) => text(member, [...loc, index]))
    : text(value, loc);

/** Headers that decide where a request goes, how it is framed, or who makes it: `api_key` is for the last. */
const OWN_HEADERS =
  /^(?:host|authorization|api-key|x-api-key|proxy-.*|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie)$/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const headers: Check = (value, loc) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong(loc, 'Input should be a valid dictionary', 'dict_type');
  }
  return Object.entries(value).flatMap(([name, content]: [string, unknown]) => {
    const at = [...loc, name];
    if (typeof content !== 'string') return wrong(at, 'Input should be a valid string', 'string_type');
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(content))
      return wrong(at, 'is not a header', 'value_error');
    return OWN_HEADERS.test(name) ? wrong(at, 'is a header that requests must not set', 'value_error') : [];
  });
};
