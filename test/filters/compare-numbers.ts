/** Compares two decimals in plain notation exactly. */
export function compareNumbers(left: string, right: string): number {
  const digits = Math.max(fraction(left), fraction(right));
  const difference = scaled(left, digits) - scaled(right, digits);
  return difference < 0n ? -1 : Number(difference > 0n);
}

function fraction(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}

function scaled(decimal: string, digits: number): bigint {
  const [whole = '', part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(digits, '0'));
}
