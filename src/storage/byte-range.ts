import type { ByteRange } from './object-store.js';

/** The range that a request asks for: the whole object, a part of it, or a range outside the object. */
export type RequestedRange = 'whole' | 'unsatisfiable' | ByteRange;

const SINGLE = /^(\d*)-(\d*)$/;

/**
 * Reads a `Range` header (RFC 9110, section 14): `bytes=0-99`, `bytes=100-`, or `bytes=-100` for the last 100 bytes.
 * Ignores units other than bytes, as the RFC requires. Several ranges and malformed ranges are unsatisfiable.
 * @param size of the object in bytes
 */
export function requestedRange(header: string | undefined, size: number): RequestedRange {
  const [, unit, ranges = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(header ?? '') ?? [];
  if (unit?.toLowerCase() !== 'bytes') return 'whole';
  const [, first = '', last = ''] = SINGLE.exec(ranges.trim()) ?? [];
  if (first === '' && last === '') return 'unsatisfiable';
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  const askedBackwards = first !== '' && last !== '' && Number(last) < Number(first);
  return askedBackwards || start >= size || start > end ? 'unsatisfiable' : { start, end };
}
