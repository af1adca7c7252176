import { toUnitLength } from '../embedding/unit-length.js';
import { itemsInOrder, UnusableAnswer } from '../providers/failures.js';
import type { MultiVector } from './page-embedder.js';

/** Name of the server in error messages. */
export const LABEL = 'The page embedding server';

/**
 * Converts JSON lists of numbers to vectors of length 1. Everything is validated before anything is stored.
 * @throws UnusableAnswer for lists of different lengths, values other than numbers, or a vector without a direction.
 */
export function multiVectorOf(rows: unknown): MultiVector {
  if (!Array.isArray(rows) || rows.length === 0) throw unusable('no vectors for one of its inputs');
  const [first] = rows as unknown[];
  const dims = Array.isArray(first) ? first.length : 0;
  const vectors = new Float32Array(rows.length * dims);
  for (const [index, row] of (rows as unknown[]).entries()) {
    if (!Array.isArray(row) || row.length !== dims) throw unusable('vectors of different lengths');
    vectors.set(row.map(numberOf), index * dims);
  }
  return inUnitLength({ dims, vectors });
}

/** Maps JSON null to NaN; a Float32Array would convert it to 0. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

/**
 * Scales the vectors in place to length 1.
 * @throws UnusableAnswer for no vectors, or for a vector without a direction: all zero, or not finite.
 */
export function inUnitLength(answered: MultiVector): MultiVector {
  const { dims, vectors } = answered;
  if (dims === 0 || vectors.length === 0) throw unusable('no vectors for one of its inputs');
  for (let start = 0; start < vectors.length; start += dims) {
    if (!toUnitLength(vectors.subarray(start, start + dims))) throw unusable('a vector without a direction');
  }
  return answered;
}

/** Returns the items of `data` in the order of the inputs. @throws UnusableAnswer unless there are `count` items. */
export function itemsOf(answer: unknown, count: number): readonly Readonly<Record<string, unknown>>[] {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  return itemsInOrder(data, count, LABEL);
}

export function unusable(what: string): UnusableAnswer {
  return new UnusableAnswer(`${LABEL} returned ${what}`);
}
