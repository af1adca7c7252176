import { decimalOf } from '../json/exact-json.js';
import { literalDefect, type Scalar } from './literal.js';

const NUMERIC = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;

/**
 * The one spelling of a decimal: no exponent, no leading or trailing zeros, `0` without a sign. Equal decimals are
 * equal strings, so that equality is a look-up in an index.
 * @param text a number in digits, with or without sign, fraction and exponent.
 * @returns undefined when the text is no number, or one past the range of a double.
 */
export function normaliseDecimal(text: string): string | undefined {
  const literal = numberLiteral(text);
  if (literal === undefined || literalDefect(literal) !== undefined) return undefined;
  const { negative, digits, exponent } = decimalOf(literal);
  if (digits === '') return '0';
  return (negative ? '-' : '') + positional(digits, exponent);
}

/** The values that are decimals, each in its one spelling. */
export function decimalsAmong(values: readonly Scalar[]): readonly string[] {
  return values.map((value) => normaliseDecimal(String(value))).filter((decimal) => decimal !== undefined);
}

/** The text as a JSON number; undefined when it is none. */
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
