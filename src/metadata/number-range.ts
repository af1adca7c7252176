import type { ExactNumber } from '../json/exact-number.js';
import { decimalOf } from '../json/exact-number.js';

/** Decimal exponents of the largest and the smallest double. */
const LARGEST_EXPONENT = 308;
const SMALLEST_EXPONENT = -324;
const MOST_CHARACTERS = 1_000;

/**
 * Why a number is neither stored nor compared, in words; undefined when it is fine. Every digit within the range of
 * a double is kept; past that range a literal of ten characters can ask for gigabytes of digits.
 */
export function numberDefect(value: number | ExactNumber): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a number that is not finite';
  return literalDefect(value.literal);
}

/** {@link numberDefect} of a number that is written out. */
export function literalDefect(literal: string): string | undefined {
  if (literal.length > MOST_CHARACTERS) return `a number of more than ${MOST_CHARACTERS} characters`;
  const { digits, exponent } = decimalOf(literal);
  const magnitude = exponent + digits.length - 1;
  const outside = digits !== '' && (magnitude > LARGEST_EXPONENT || magnitude < SMALLEST_EXPONENT);
  return outside ? 'a number past the range of a double' : undefined;
}
