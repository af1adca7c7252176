import type { MultiVector } from '../multivector/page-embedder.js';
import { FixedDimensionalEncoder, type Partition } from './fixed-dimensional-encoding.js';

const LARGEST = 127;

/** What is stored of the vectors of a page. */
export interface EncodedPage {
  /** The vectors themselves, for exact comparison. */
  readonly vectors: Buffer;
  readonly vectorCount: number;
  /** One vector for all of them, to find candidates by inner product. */
  readonly encoding: Float32Array;
}

export function encodedPage(page: MultiVector): EncodedPage {
  return {
    vectors: encodedVectors(page),
    vectorCount: page.vectors.length / page.dims,
    encoding: encoderFor(page.dims).ofPage(page),
  };
}

/** What candidates for a question are found by: the inner product with the encoding of a page is the larger the better. */
export function encodedQuestion(question: MultiVector): Float32Array {
  return encoderFor(question.dims).ofQuestion(question);
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

const PARTITION: Partition = { repetitions: 20, planes: 3, projected: 16 };

/** Length of an encoding, whatever the vectors are: pgvector indexes up to 4,000 dimensions of a halfvec. */
export const ENCODING_DIMENSIONS = PARTITION.repetitions * 2 ** PARTITION.planes * PARTITION.projected;

const encoders = new Map<number, FixedDimensionalEncoder>();

/** By the length of the vectors: an installation has one, or two while it changes its model. */
function encoderFor(dims: number): FixedDimensionalEncoder {
  const encoder = encoders.get(dims) ?? new FixedDimensionalEncoder(dims, PARTITION);
  encoders.set(dims, encoder);
  return encoder;
}
