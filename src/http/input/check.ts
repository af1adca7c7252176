import type { InvalidType } from '../../errors/index.js';
import { decimalOf, ExactNumber } from '../../json/exact-number.js';

/** With the u flag a surrogate pair is one character, so that only halves match. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** One demand on a value, with the words and the type that pydantic clients know for it. */
export interface Check {
  readonly type: InvalidType;
  readonly msg: string;
  readonly holds: (value: unknown) => boolean;
}

export const isText: Check = {
  type: 'string_type',
  msg: 'Input should be a valid string',
  holds: (value) => typeof value === 'string',
};

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs. */
export const isStorable: Check = {
  type: 'value_error',
  msg: 'Value error, text must not contain U+0000 or lone surrogates',
  holds: isStorableText,
};

export const isNotBlank: Check = {
  type: 'value_error',
  msg: 'Value error, text must not be blank',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
};

export const isInteger: Check = {
  type: 'int_type',
  msg: 'Input should be a valid integer',
  holds: (value) =>
    value instanceof ExactNumber ? decimalOf(value.literal).exponent >= 0 : Number.isInteger(value),
};

export const isNumber: Check = {
  type: 'float_type',
  msg: 'Input should be a valid number',
  holds: (value) => typeof value === 'number' || value instanceof ExactNumber,
};

export const isFlag: Check = {
  type: 'bool_type',
  msg: 'Input should be a valid boolean',
  holds: (value) => typeof value === 'boolean',
};

export const isList: Check = { type: 'list_type', msg: 'Input should be a valid list', holds: Array.isArray };

export const isDictionary: Check = {
  type: 'dict_type',
  msg: 'Input should be a valid dictionary',
  holds: isJsonObject,
};

export function hasLength({ min = 0, max = Infinity }: { min?: number; max?: number }): Check[] {
  const checks: Check[] = [];
  if (min > 0) {
    checks.push({
      type: 'string_too_short',
      msg: `String should have at least ${min} ${min === 1 ? 'character' : 'characters'}`,
      holds: (value) => typeof value === 'string' && codePoints(value, min) >= min,
    });
  }
  if (max < Infinity) {
    checks.push({
      type: 'value_error',
      msg: `Value error, String should have at most ${max} ${max === 1 ? 'character' : 'characters'}`,
      holds: (value) => typeof value === 'string' && codePoints(value, max + 1) <= max,
    });
  }
  return checks;
}

export interface Bounds {
  readonly greaterThan?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export function isWithin({ greaterThan, min, max }: Bounds): Check[] {
  const checks: Check[] = [];
  if (greaterThan !== undefined) {
    checks.push({
      type: 'greater_than',
      msg: `Input should be greater than ${greaterThan}`,
      holds: (value) => Number(value) > greaterThan,
    });
  }
  if (min !== undefined) {
    checks.push({
      type: 'greater_than_equal',
      msg: `Input should be greater than or equal to ${min}`,
      holds: (value) => Number(value) >= min,
    });
  }
  if (max !== undefined) checks.push(isAtMost(max));
  return checks;
}

export function isAtMost(max: number): Check {
  return {
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${max}`,
    holds: (value) => Number(value) <= max,
  };
}

export function isOneOf(values: readonly string[]): Check {
  return {
    type: 'enum',
    msg: `Input should be ${enumerated(values)}`,
    holds: (value) => typeof value === 'string' && values.includes(value),
  };
}

/** Whatever is not text is none of its business. */
export function isStorableText(value: unknown): boolean {
  return typeof value !== 'string' || (!value.includes('\0') && !LONE_SURROGATE.test(value));
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** `'a', 'b' or 'c'`, as pydantic writes it. */
function enumerated(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

/** Characters as people and pydantic count them, up to `enough`: a long text is not counted to its end. */
function codePoints(text: string, enough: number): number {
  if (text.length >= 2 * enough) return enough;
  return Math.min(enough, Array.from(text).length);
}
