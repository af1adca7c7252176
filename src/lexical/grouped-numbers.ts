/** A number with thousands separators in a normalised text. */
export interface GroupedNumber {
  /** Offsets in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** The digits before the decimal sign. */
  readonly whole: string;
  /** The digits after the decimal sign; empty for an integer. */
  readonly decimals: string;
  /**
   * Whether the same characters have another common reading: `1.234` and `1,234` are also decimal numbers, `12 500` may
   * be two numbers, and `10.100.200.250` is an IP address.
   */
  readonly isAmbiguous: boolean;
}

/** Letters and signs in front of digits that are the rest of an identifier (`v1.234`), a longer number or a list. */
const INSIDE = "(?<!\\p{L}[-_.@'^]?|\\p{N}[.,'\u066b\u066c]?)";

/**
 * Matches groups of three digits behind the same sign (a point, comma, apostrophe, space or the Arabic separator), or
 * the groups of two digits of Indian numbers, and decimals behind another sign. A normalised text has no other spaces and
 * apostrophes.
 */
const NUMBER = new RegExp(
  `${INSIDE}[1-9](?:\\d{0,2}(?:([.,' \u066c])\\d{3}(?:\\1\\d{3})*)|\\d?(?:,\\d{2})+,\\d{3})(?:(?!\\1)[.,\u066b](\\d+))?(?!\\p{N}|[.,'\u066b\u066c]\\p{N})`,
  'gu',
);

/**
 * Finds the numbers with thousands separators in a text, so that they can be compared with numbers without.
 * @param text as `normalise` returns it
 */
export function groupedNumbers(text: string): GroupedNumber[] {
  return Array.from(text.matchAll(NUMBER), ({ 0: number, 1: sign = ',', 2: decimals = '', index }) => {
    const integer = decimals === '' ? number : number.slice(0, -decimals.length - 1);
    const groups = integer.split(sign);
    return {
      start: index,
      end: index + number.length,
      whole: groups.join(''),
      decimals,
      isAmbiguous: decimals === '' && isAmbiguous(sign, groups),
    };
  });
}

function isAmbiguous(sign: string, groups: readonly string[]): boolean {
  if (groups.length === 2) return '., '.includes(sign);
  return sign === '.' && groups.length === 4 && groups.every((group) => Number(group) < 256);
}

/** The terms of a number: `1234567`; with decimals `1234567.89` and `1234567`. */
export function numberTerms({ whole, decimals }: GroupedNumber): readonly string[] {
  return decimals === '' ? [whole] : [`${whole}.${decimals}`, whole];
}
