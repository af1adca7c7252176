import pgvector from 'pgvector';

/** A vector as pgvector reads it. Six digits are more than the 11 bits of a halfvec keep. */
export function vectorText(vector: Float32Array): string {
  return String(pgvector.toSql(Array.from(vector, (x) => Number(x.toPrecision(6)))));
}

/** A vector as pgvector prints it. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[]);
}
