import { toUnitLength } from '../embedding/unit-length.js';
import { itemsInOrder, UnusableAnswer } from '../providers/failures.js';
import type { MultiVector } from './page-embedder.js';

/** Who is meant in an error. */
export const WHO = 'The page embedding server';

/**
 * Lists of numbers, as JSON has them, as vectors of length 1. Everything is checked before anything is stored.
 * @throws UnusableAnswer when they are no lists of numbers of one length, or one has no direction.
 */
export function multiVectorOf(rows: unknown): MultiVector {
  if (!Array.isArray(rows) || rows.length === 0) throw unusable('no vectors for one of its inputs');
  const [first] = rows as unknown[];
  const dims = Array.isArray(first) ? first.length : 0;
  const vectors = new Float32Array(rows.length * dims);
  for (const [index, row] of (rows as unknown[]).entries()) {
    if (!Array.isArray(row) || row.length !== dims) throw unusable('vectors of several lengths');
    vectors.set(row.map(numberOf), index * dims);
  }
  return inUnitLength({ dims, vectors });
}

/** JSON has null where there is no number, which an array of numbers would take for 0. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

/**
 * The same vectors, scaled in place.
 * @throws UnusableAnswer when there is none, or one has no direction: all zero, or not finite.
 */
export function inUnitLength(answered: MultiVector): MultiVector {
  const { dims, vectors } = answered;
  if (dims === 0 || vectors.length === 0) throw unusable('no vectors for one of its inputs');
  for (let start = 0; start < vectors.length; start += dims) {
    if (!toUnitLength(vectors.subarray(start, start + dims))) throw unusable('a vector without a direction');
  }
  return answered;
}

/** The items of `data` in the order of the inputs. @throws UnusableAnswer when there are not `count` of them. */
export function itemsOf(answer: unknown, count: number): readonly Readonly<Record<string, unknown>>[] {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  return itemsInOrder(data, count, WHO);
}

export function unusable(what: string): UnusableAnswer {
  return new UnusableAnswer(`${WHO} answered ${what}`);
}
