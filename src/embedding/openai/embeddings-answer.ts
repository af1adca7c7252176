import { ProviderFailed } from '../../errors/index.js';
import { toUnitLength } from '../unit-length.js';

/** Who is meant in an error. */
export const PROVIDER = 'The embedding provider';

/**
 * The vectors of an answer in the order of the texts, scaled to length 1. Everything is checked before anything is
 * stored: providers disagree about the order, and some answer less.
 *
 * @throws ProviderFailed when the answer is not `count` vectors.
 */
export function vectorsOf(answer: unknown, count: number): Float32Array[] {
  const items: unknown =
    typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : null;
  if (!Array.isArray(items) || items.length !== count) throw unusable('another number of vectors');
  const vectors = new Array<Float32Array | undefined>(count);
  for (const [position, item] of (items as { index?: unknown; embedding?: unknown }[]).entries()) {
    const index = typeof item.index === 'number' ? item.index : position;
    if (!Array.isArray(item.embedding)) throw unusable('an item without a vector');
    const vector = Float32Array.from(item.embedding as number[]);
    if (!toUnitLength(vector)) throw unusable('a vector without a direction');
    vectors[index] = vector;
  }
  if (vectors.length !== count) throw unusable('an index out of range');
  return vectors.map((vector) => {
    if (vector === undefined) throw unusable('one index twice');
    return vector;
  });
}

export function unusable(what: string): ProviderFailed {
  return new ProviderFailed(`${PROVIDER} answered ${what}`);
}
