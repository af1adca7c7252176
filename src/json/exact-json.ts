import { randomUUID } from 'node:crypto';

/**
 * Prefix of the string that stands for an exact number inside the built-in JSON functions. The prefix is random, so
 * that no text contains it.
 */
const MARK = `exact:${randomUUID()}:`;

/**
 * Matches text that may contain a number beyond the precision of a double: a number of 16 or more characters or with an
 * exponent.
 */
const SUSPECT = /[\d.]{16}|\d[eE][+-]?\d/;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * Parses JSON like `JSON.parse`, but keeps numbers beyond the precision of a double as {@link ExactNumber}.
 * `__proto__` is an ordinary key.
 * @throws SyntaxError like `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || isCarriedByDouble(token)) return token;
    return `"${MARK}${token}"`;
  });
  // Parses the original text first, so that a SyntaxError has the position in this text.
  const plain: unknown = JSON.parse(text);
  if (marked === text) return plain;
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  );
}

/**
 * Prints JSON like `JSON.stringify`, but prints an {@link ExactNumber} with all its digits.
 * @param space indentation in spaces; 0 prints one line
 */
export function printJson(value: unknown, space = 0): string {
  const text = JSON.stringify(value, undefined, space);
  return text.includes(MARK) ? text.replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'g'), '$1') : text;
}

/**
 * A JSON number that a double cannot represent, such as `9007199254740993` or `0.1000000000000000055`. It is kept as
 * written. It is stored, compared and printed with all its digits and never rounded.
 */
export class ExactNumber {
  constructor(readonly literal: string) {}

  toString(): string {
    return this.literal;
  }

  /**
   * Called by `JSON.stringify` in {@link printJson}. A replacer function would be slower, because it is called for
   * every value.
   */
  toJSON(): string {
    return MARK + this.literal;
  }
}

interface Decimal {
  readonly negative: boolean;
  /** Significant digits without leading or trailing zeros; the empty string for zero. */
  readonly digits: string;
  /** Decimal exponent. The number equals the digits, read as an integer, times ten to the power of the exponent. */
  readonly exponent: number;
}

/** Splits a JSON number literal into sign, digits and exponent. Equal numbers have equal parts. */
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

/** Tells whether `Number(literal)` equals the literal exactly. */
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

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** Sets an untrusted key. A plain assignment to `__proto__` would change the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
