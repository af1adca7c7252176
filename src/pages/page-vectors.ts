import { toUnitLength } from '../models/embedding/unit-length.js';
import type { MultiVector } from '../models/multivector/page-embedder.js';

const LARGEST = 127;

/** Vectors of a page in storage format. */
export interface EncodedPage {
  /** All vectors, quantised, for exact scoring. */
  readonly vectors: Buffer;
  readonly vectorCount: number;
  /** Pooled vector for candidate search. */
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
 * Returns the normalised mean of vectors. Candidates are ranked by the cosine of the pooled vectors of question and
 * page. In the benchmark this has a higher recall than fixed-dimensional encodings that are twenty times as long
 * (docs/project/performance.md).
 */
export function pooled({ dims, vectors }: MultiVector): Float32Array {
  const sum = new Float32Array(dims);
  for (let i = 0; i < vectors.length; i++) sum[i % dims] = (sum[i % dims] ?? 0) + (vectors[i] ?? 0);
  // Vectors that cancel each other out have no mean direction; the first vector is used instead.
  return toUnitLength(sum) ? sum : vectors.slice(0, dims);
}

/**
 * Quantises unit vectors to eight bits per dimension. Each vector is scaled to the full range. The scale is not stored,
 * because it follows from the length, which is 1. Cosines of quantised vectors differ from the exact cosines by less
 * than 0.005.
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

/** Number of question vectors per block: few enough that their sums fit into registers. */
const BLOCK = 4;

/** A question in the memory layout of {@link maxSim}: blocks of four vectors, interleaved by dimension. */
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
 * Computes late interaction of a question and a page: the mean of each question vector's best cosine among the page
 * vectors, mapped from [-1, 1] to [0, 1] (Khattab and Zaharia 2020, "ColBERT", section 3.3, with the mean instead of
 * the sum, so that the score does not grow with the question).
 *
 * Computes with doubles. Single-precision numbers would each need a conversion, which takes five times as long.
 * @param page output of `encodedVectors`; a page without vectors scores 0.
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
    raiseBest(best, row, 1 / Math.sqrt(squares), blocks);
  }
  let sum = 0;
  for (let i = 0; i < count; i++) sum += best[i] ?? 0;
  return Math.min(1, Math.max(0, (1 + sum / count) / 2)); // rounding errors can lead out of the range
}

/** Updates `best`, the best cosine of each question vector so far, with the cosines for one page vector. */
function raiseBest(best: Float64Array, row: Float64Array, scale: number, blocks: Float64Array): void {
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
