import { decimalOf } from '../json/exact-json.js';
import { literalDefect, type Scalar } from './literal.js';

const NUMERIC = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;

/**
 * Returns the normal form of a decimal: no exponent, no leading or trailing zeros, `0` without a sign. Equal decimals
 * become equal strings, so that an index finds them by equality.
 * @param text a number in digits, with or without sign, fraction and exponent
 * @returns undefined when the text is not a number or exceeds the range of a double
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

/** Converts a text to a JSON number; undefined when it is not a number. */
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
