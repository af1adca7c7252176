import { isUtf8 } from 'node:buffer';

/** Bytes that are looked at, from the first one above ASCII on. */
const SAMPLE = 65_536;

/**
 * Bytes of whole letters for each byte that is none, from which on text is UTF-8 with damage. In other encodings of some
 * twenty languages hardly one text in a thousand has as many by chance, and none of more than 30 bytes.
 */
const WHOLE_PER_BROKEN = 2;

/** The same of a text that says that it is UTF-8. */
const WHOLE_PER_BROKEN_IF_DECLARED = 1;

/** Whether bytes that are not UTF-8 are so but for some: a file that was cut in a letter, a line of another origin. */
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

/** By its first byte; 2 for a byte that begins none, which with the next one is no letter either. */
function lengthOfLetter(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** Index of the first byte above ASCII; 0 when there is none. */
export function firstAboveAscii(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && (bytes[at] ?? 0) < 0x80) at += 1;
  return at === bytes.length ? 0 : at;
}
