/** Whether one number is a multiple of another, both as they are written in decimal. */
export function isMultipleOf(value: number, factor: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = decimalOf(value);
  const [factorDigits, factorExponent] = decimalOf(factor);
  const shift = exponent - factorExponent;
  // The larger exponent becomes the smaller one. Neither is beyond 1,000, since a double is not.
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % factorDigits === 0n
    : digits % (factorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** The shortest decimal of a double: digits, and the power of ten that they are multiplied with. */
function decimalOf(number: number): readonly [digits: bigint, exponent: number] {
  const [, whole = '', fraction = '', power = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  return [BigInt(whole + fraction), Number(power) - fraction.length];
}
