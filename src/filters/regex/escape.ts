import type { PatternReader } from './pattern-reader.js';

const CONTROLS: Readonly<Record<string, number>> = {
  a: 0x07,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
};

/** The code point of the character that stands at the reader, written as itself or as an escape. */
export function readEscape(reader: PatternReader): number {
  const octal = reader.takeMatch(/^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/)?.[1];
  if (octal !== undefined) return parseInt(octal, 8);
  const hex = reader.takeMatch(/^\\x(?:\{([\da-fA-F]+)\}|([\da-fA-F]{2}))/);
  if (hex !== undefined) return parseInt(hex[1] ?? hex[2] ?? '', 16);
  const control = reader.takeMatch(/^\\([afnrtv])/)?.[1];
  if (control !== undefined) return CONTROLS[control] ?? 0;
  reader.take('\\');
  return reader.takeCodePoint();
}
