import { randomUUID } from 'node:crypto';

/** Stands in front of an exact number while it travels as a string through the built-in JSON functions. */
const MARK = `exact:${randomUUID()}:`;

/** Only a literal of 16 digits and more, or one with an exponent, can be more than a double carries. */
const SUSPECT = /[\d.]{16}|\d[eE][+-]?\d/;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * `JSON.parse` that keeps numbers a double cannot carry as {@link ExactNumber}.
 * `__proto__` and the like are ordinary keys.
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || isCarriedByDouble(token)) return token;
    return `"${MARK}${token}"`;
  });
  // Parsed as it came first, so that the position in a SyntaxError is the caller's.
  const plain: unknown = JSON.parse(text);
  if (marked === text) return plain;
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  );
}

/** `JSON.stringify` that prints {@link ExactNumber} digit by digit. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    member instanceof ExactNumber ? MARK + member.literal : member,
  );
  return text.includes(MARK) ? text.replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'g'), '$1') : text;
}

/**
 * A JSON number that a double cannot carry (`9007199254740993`, `0.1000000000000000055`), kept as it was written.
 * It is stored, compared and printed digit by digit; nothing rounds it.
 */
export class ExactNumber {
  constructor(readonly literal: string) {}

  toString(): string {
    return this.literal;
  }
}

interface Decimal {
  readonly negative: boolean;
  /** Significant digits without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  /** Power of ten of the last digit. */
  readonly exponent: number;
}

/** Sign, digits and exponent of a JSON number literal; equal numbers give equal parts. */
export function decimalOf(literal: string): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) throw new Error(`not a number literal: ${literal.slice(0, 40)}`);
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const padded = (whole + fraction).replace(/^0+/, '');
  const digits = padded.replace(/0+$/, '');
  if (digits === '') return { negative: false, digits: '', exponent: 0 };
  return {
    negative: sign === '-',
    digits,
    exponent: Number(power) - fraction.length + (padded.length - digits.length),
  };
}

/** Whether `Number(literal)` is the very number that was written. */
export function isCarriedByDouble(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const written = decimalOf(literal);
  const carried = decimalOf(value.toString());
  return (
    written.digits === carried.digits &&
    written.exponent === carried.exponent &&
    written.negative === carried.negative
  );
}
