import { toUnitLength } from '../embedding/unit-length.js';
import type { MultiVector } from '../multivector/page-embedder.js';

const LARGEST = 127;

/** What is stored of the vectors of a page. */
export interface EncodedPage {
  /** The vectors themselves, for exact comparison. */
  readonly vectors: Buffer;
  readonly vectorCount: number;
  /** One vector for all of them, by which candidates are found. */
  readonly pooled: Float32Array;
}

export function encodedPage(page: MultiVector): EncodedPage {
  return {
    vectors: encodedVectors(page),
    vectorCount: page.vectors.length / page.dims,
    pooled: pooled(page),
  };
}

/**
 * The mean of vectors, of length 1. The cosine of a question's and a page's is what candidates are found by: on the pages
 * at hand it finds more of the best by late interaction than fixed-dimensional encodings of twenty times the length
 * (docs/performance.md).
 */
export function pooled({ dims, vectors }: MultiVector): Float32Array {
  const sum = new Float32Array(dims);
  for (let i = 0; i < vectors.length; i++) sum[i % dims] = (sum[i % dims] ?? 0) + (vectors[i] ?? 0);
  // Vectors that cancel each other out have no mean direction: any of them will do.
  return toUnitLength(sum) ? sum : vectors.slice(0, dims);
}

/**
 * Vectors of length 1 as they are stored: eight bits a dimension, row by row. A row takes the whole range, whatever its
 * largest number; since it had length 1, its scale need not be kept. Cosines differ by less than .005.
 */
function encodedVectors({ dims, vectors }: MultiVector): Buffer {
  const bytes = Buffer.alloc(vectors.length);
  for (let start = 0; start < vectors.length; start += dims) {
    let largest = 0;
    for (let i = start; i < start + dims; i++) largest = Math.max(largest, Math.abs(vectors[i] ?? 0));
    for (let i = start; i < start + dims; i++) {
      bytes.writeInt8(Math.round(((vectors[i] ?? 0) / largest) * LARGEST), i);
    }
  }
  return bytes;
}
