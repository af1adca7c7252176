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

/** Vectors of the question that are compared at once: as many sums as stay in registers. */
const BLOCK = 4;

/** A question laid out for {@link maxSim}: in blocks of four vectors, the numbers of one dimension side by side. */
export interface PreparedQuestion {
  readonly dims: number;
  readonly count: number;
  readonly blocks: Float64Array;
}

export function prepared({ dims, vectors }: MultiVector): PreparedQuestion {
  const count = vectors.length / dims;
  const blocks = new Float64Array(Math.ceil(count / BLOCK) * BLOCK * dims);
  for (let row = 0; row < count; row++) {
    const start = Math.floor(row / BLOCK) * BLOCK * dims + (row % BLOCK);
    for (let d = 0; d < dims; d++) blocks[start + d * BLOCK] = vectors[row * dims + d] ?? 0;
  }
  return { dims, count, blocks };
}

/**
 * Late interaction of a question with a stored page: the mean over the question's vectors of the best cosine among the
 * page's, mapped from [-1, 1] to [0, 1] by (1 + x) / 2 (Khattab and Zaharia 2020, "ColBERT", section 3.3, with the mean
 * for the sum, so that the score does not grow with the question).
 *
 * Numbers are double: the engine converts every single one otherwise, which takes five times as long.
 * @param page as `encodedVectors` made it; one without vectors scores 0.
 */
export function maxSim(question: PreparedQuestion, page: Int8Array): number {
  const { dims, count, blocks } = question;
  const best = new Float64Array(blocks.length / dims).fill(-Infinity);
  const row = new Float64Array(dims);
  for (let start = 0; start < page.length; start += dims) {
    let squares = 0;
    for (let d = 0; d < dims; d++) {
      const x = page[start + d] ?? 0;
      row[d] = x;
      squares += x * x;
    }
    takeBest(best, row, 1 / Math.sqrt(squares), blocks);
  }
  let sum = 0;
  for (let i = 0; i < count; i++) sum += best[i] ?? 0;
  return Math.min(1, Math.max(0, (1 + sum / count) / 2)); // rounding may step outside
}

/** Raises `best` to the cosines of the question's vectors with one of the page's. */
function takeBest(best: Float64Array, row: Float64Array, scale: number, blocks: Float64Array): void {
  const dims = row.length;
  let at = 0;
  for (let i = 0; i < best.length; i += BLOCK) {
    let a = 0;
    let b = 0;
    let c = 0;
    let e = 0;
    for (let d = 0; d < dims; d++) {
      const x = row[d] ?? 0;
      a += x * (blocks[at] ?? 0);
      b += x * (blocks[at + 1] ?? 0);
      c += x * (blocks[at + 2] ?? 0);
      e += x * (blocks[at + 3] ?? 0);
      at += BLOCK;
    }
    best[i] = Math.max(best[i] ?? 0, a * scale);
    best[i + 1] = Math.max(best[i + 1] ?? 0, b * scale);
    best[i + 2] = Math.max(best[i + 2] ?? 0, c * scale);
    best[i + 3] = Math.max(best[i + 3] ?? 0, e * scale);
  }
}
