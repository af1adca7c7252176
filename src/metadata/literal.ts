import { decimalOf, ExactNumber } from '../json/exact-json.js';
import { textDefect } from '../json/storable.js';
import type { Location, Problems } from '../errors/index.js';

type JsonKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** Returns the JSON type of a parsed value, or undefined if JSON has no such value. */
export function jsonKind(value: unknown): JsonKind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'string':
    case 'object':
      return typeof value as JsonKind;
    default:
      return undefined;
  }
}

const MAX_SHOWN = 40;

/** Describes a value for an error message: its JSON type, and the value itself when it is short. */
export function describe(value: unknown): string {
  const kind = jsonKind(value);
  switch (kind) {
    case undefined:
      return 'nothing';
    case 'null':
      return 'null';
    case 'array':
    case 'object':
      return `an ${kind}`;
    case 'string': {
      const text = String(value);
      return text.length > MAX_SHOWN ? 'a long string' : `the string ${JSON.stringify(text)}`;
    }
    default:
      return `the ${kind} ${String(value).slice(0, MAX_SHOWN)}`;
  }
}

export type Scalar = string | number | boolean | ExactNumber;

/** A JSON value in metadata or in a filter comparison; keys with `$` are ordinary keys here. */
export type Literal = Scalar | null | readonly Literal[] | { readonly [key: string]: Literal };

const MAX_DEPTH = 100;

export function isScalar(value: Literal): value is Scalar {
  return value !== null && (typeof value !== 'object' || value instanceof ExactNumber);
}

/**
 * Validates a JSON value at every depth and adds its defects to `problems`.
 * @param operator name of the operator or field, for the messages
 * @returns the same value
 */
export function readLiteral(value: unknown, loc: Location, operator: string, problems: Problems): Literal {
  check(value, loc, 0);
  return value as Literal;

  function check(part: unknown, at: Location, depth: number): void {
    if (depth > MAX_DEPTH) {
      problems.add(at, `${operator} expects at most ${MAX_DEPTH} levels of nesting, got more`);
      return;
    }
    const kind = jsonKind(part);
    if (kind === undefined) {
      problems.add(at, `${operator} expects a JSON value, got ${describe(part)}`);
    } else if (kind === 'string') {
      checkText(part as string, at, 'a string');
    } else if (kind === 'number') {
      const defect = numberDefect(part as number | ExactNumber);
      if (defect !== undefined)
        problems.add(at, `${operator} expects a number within the range of a double, got ${defect}`);
    } else if (kind === 'array') {
      (part as readonly unknown[]).forEach((member, index) => {
        check(member, [...at, index], depth + 1);
      });
    } else if (kind === 'object') {
      for (const [key, member] of Object.entries(part as object)) {
        checkText(key, [...at, key], 'a key');
        check(member, [...at, key], depth + 1);
      }
    }
  }

  function checkText(text: string, at: Location, what: string): void {
    const defect = textDefect(text);
    if (defect !== undefined)
      problems.add(at, `${operator} expects well-formed text, got ${what} with ${defect}`);
  }
}

/**
 * Limits of a number: the decimal exponent of the largest double, that of the smallest double, and the length of the
 * number in characters.
 */
const MAX_EXPONENT = 308;
const MIN_EXPONENT = -324;
const MAX_CHARACTERS = 1_000;

/**
 * Describes the defect of a number. Returns undefined for a valid number. Numbers within the range of a double keep
 * every digit. Numbers outside this range are rejected, because a literal of ten characters could fill gigabytes when
 * it is written without an exponent.
 */
export function numberDefect(value: number | ExactNumber): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a number that is not finite';
  return literalDefect(value.literal);
}

/** Checks a JSON number in text form like {@link numberDefect}. */
export function literalDefect(literal: string): string | undefined {
  if (literal.length > MAX_CHARACTERS) return `a number of more than ${MAX_CHARACTERS} characters`;
  const { digits, exponent } = decimalOf(literal);
  const magnitude = exponent + digits.length - 1;
  const outside = digits !== '' && (magnitude > MAX_EXPONENT || magnitude < MIN_EXPONENT);
  return outside ? 'a number beyond the range of a double' : undefined;
}

const NUMERIC = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;

/**
 * Returns the normal form of a decimal. It has no exponent and no leading or trailing zeros, and zero is `0` without a
 * sign. Equal decimals have the same normal form, so that an index can find them.
 * @param text a number in digits; sign, fraction and exponent are optional
 * @returns undefined if the text is not a number or is outside the range of a double
 */
export function normaliseDecimal(text: string): string | undefined {
  const literal = numberLiteral(text);
  if (literal === undefined || literalDefect(literal) !== undefined) return undefined;
  const { negative, digits, exponent } = decimalOf(literal);
  if (digits === '') return '0';
  return (negative ? '-' : '') + positional(digits, exponent);
}

/** Returns the normal forms of the values that are decimals. */
export function decimalsAmong(values: readonly Scalar[]): readonly string[] {
  return values.map((value) => normaliseDecimal(String(value))).filter((decimal) => decimal !== undefined);
}

/** Converts a text to a JSON number. Returns undefined if the text is not a number. */
function numberLiteral(text: string): string | undefined {
  const match = NUMERIC.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', power = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '' ? '' : `.${fraction}`}${power}`;
}

function positional(digits: string, exponent: number): string {
  if (exponent >= 0) return digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
