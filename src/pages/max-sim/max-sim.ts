import type { MultiVector } from '../../multivector/page-embedder.js';

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
