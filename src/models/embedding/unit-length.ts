/**
 * Scales a vector to length 1 in place.
 *
 * @returns false, without changes, if the vector is zero or not finite.
 */
export function toUnitLength(vector: Float32Array): boolean {
  let squares = 0;
  for (const x of vector) squares += x * x;
  if (squares === 0 || !Number.isFinite(squares)) return false;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * scale;
  return true;
}

/** Returns the cosine of two vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [at, x] of a.entries()) sum += x * (b[at] ?? 0);
  return sum;
}
