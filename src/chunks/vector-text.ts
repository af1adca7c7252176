/**
 * A unit vector as pgvector reads it, without white space. Whole numbers are printed four times as fast as fractions,
 * and seven places are more than the 11 bits of a halfvec keep.
 */
export function vectorText(vector: Float32Array): string {
  return `[${Array.from(vector, (x) => Math.round(x * 1e7)).join('e-7,')}e-7]`;
}

/** A vector as pgvector prints it. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[]);
}
