import { isUtf8 } from 'node:buffer';

/** Bytes in the sample, which begins at the first byte above ASCII. */
const SAMPLE = 65_536;

/**
 * Minimum ratio of bytes in whole letters to broken bytes in damaged UTF-8. Among texts of some twenty languages in
 * other encodings, hardly one in a thousand reaches this ratio by chance, and no text longer than 30 bytes does.
 */
const WHOLE_PER_BROKEN = 2;

/** Minimum ratio for text that is declared as UTF-8. */
const WHOLE_PER_BROKEN_IF_DECLARED = 1;

/**
 * Whether invalid UTF-8 is damaged UTF-8: a file that was cut inside a letter, or a file with a line in another
 * encoding.
 */
export function isDamagedUtf8(bytes: Uint8Array, isDeclared: boolean): boolean {
  const first = firstAboveAscii(bytes);
  const sample = bytes.subarray(first, first + SAMPLE);
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < sample.length;) {
    const length = lengthOfLetter(sample[at] ?? 0);
    const isWhole = length === 1 || isUtf8(sample.subarray(at, at + length));
    if (length !== 1 && isWhole) whole += length;
    if (!isWhole) broken += 1;
    at += isWhole ? length : 1;
  }
  return whole > 0 && whole >= broken * (isDeclared ? WHOLE_PER_BROKEN_IF_DECLARED : WHOLE_PER_BROKEN);
}

/**
 * Returns the number of bytes of a letter that begins with this byte. Returns 2 for a continuation byte; the caller
 * then finds the two bytes invalid.
 */
function lengthOfLetter(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** Returns the index of the first byte above ASCII, or 0 if all bytes are ASCII. */
export function firstAboveAscii(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at += 1;
  return at === bytes.length ? 0 : at;
}
