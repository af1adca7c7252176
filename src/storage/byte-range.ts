import type { ByteRange } from './object-store.js';

/** What a `Range` header asks of an object: all of it, a part, or something that is not there. */
export type RequestedRange = 'whole' | 'unsatisfiable' | ByteRange;

const SINGLE = /^(\d*)-(\d*)$/;

/**
 * Reads a `Range` header (RFC 9110, section 14): `bytes=0-99`, `bytes=100-`, the last bytes `bytes=-100`. Units other
 * than bytes are passed over, as they have to be; several ranges, and what is no range, cannot be satisfied.
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
