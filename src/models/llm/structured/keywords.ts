/** Tests whether one number is a multiple of another in decimal arithmetic. */
export function isMultipleOf(value: number, factor: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = decimalOf(value);
  const [factorDigits, factorExponent] = decimalOf(factor);
  const shift = exponent - factorExponent;
  // Scales both numbers to the smaller exponent. Scaling is cheap, because exponents of doubles are below 1,000.
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % factorDigits === 0n
    : digits % (factorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** Returns the shortest decimal form of a double as digits and a power of ten. */
function decimalOf(number: number): readonly [digits: bigint, exponent: number] {
  const [, whole = '', fraction = '', power = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  return [BigInt(whole + fraction), Number(power) - fraction.length];
}

/** Whether all items of a list differ, in the sense of JSON: the order of the members of an object does not matter. */
export function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = JSON.stringify(item, (_name, value: unknown) => sorted(value));
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
