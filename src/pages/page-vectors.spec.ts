import { Random } from '../../test/support/random.js';
import { toUnitLength } from '../models/embedding/unit-length.js';
import type { MultiVector } from '../models/multivector/page-embedder.js';
import { encodedPage, maxSim, pooled, prepared } from './page-vectors.js';

const random = new Random(5);

function multiVector(count: number, dims: number, near?: MultiVector): MultiVector {
  const vectors = Float32Array.from({ length: count * dims }, (_, index) => {
    const noise = random.below(2_001) / 1_000 - 1;
    return near === undefined ? noise : (near.vectors[index] ?? 0) + noise * 0.08;
  });
  for (let row = 0; row < count; row++) toUnitLength(vectors.subarray(row * dims, (row + 1) * dims));
  return { dims, vectors };
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

const rowsOf = ({ dims, vectors }: MultiVector): Float32Array[] =>
  Array.from({ length: vectors.length / dims }, (_, row) => vectors.subarray(row * dims, (row + 1) * dims));

/** The formula of the paper over unencoded vectors. */
function reference(question: MultiVector, page: MultiVector): number {
  const rows = rowsOf(page);
  const best = rowsOf(question).map((vector) =>
    Math.max(...rows.map((row) => row.reduce((sum, x, d) => sum + x * (vector[d] ?? 0), 0))),
  );
  return (1 + best.reduce((sum, x) => sum + x, 0) / best.length) / 2;
}

const score = (question: MultiVector, page: MultiVector): number => {
  const { vectors } = encodedPage(page);
  return maxSim(prepared(question), new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length));
};

describe('pooled', () => {
  it('returns the direction of the mean', () => {
    const page = { dims: 2, vectors: Float32Array.of(1, 0, 0, 1, 1, 0) };
    const length = Math.hypot(2, 1);
    expect(Array.from(encodedPage(page).pooled)).toEqual([
      expect.closeTo(2 / length, 6),
      expect.closeTo(1 / length, 6),
    ]);
  });

  it('returns one of the vectors if they cancel each other out', () => {
    expect([...pooled({ dims: 2, vectors: Float32Array.of(0, 1, 0, -1) })]).toEqual([0, 1]);
  });

  it('finds the source page of a question among 300', () => {
    const pages = Array.from({ length: 300 }, () => multiVector(20, 64));
    const found = [17, 150, 299].map((wanted) => {
      const question = pooled(multiVector(20, 64, pages[wanted]));
      const products = pages.map((page) => dot(question, encodedPage(page).pooled));
      return products.indexOf(Math.max(...products));
    });
    expect(found).toEqual([17, 150, 299]);
  });
});

describe('maxSim', () => {
  it.each([
    [1, 1, 4],
    [3, 5, 16],
    [4, 1, 128],
    [5, 40, 128],
    [20, 80, 384],
  ])('of %i vectors with %i of %i dimensions is the mean of the best cosines', (asked, stored, dims) => {
    const question = multiVector(asked, dims);
    const page = multiVector(stored, dims);
    expect(Math.abs(score(question, page) - reference(question, page))).toBeLessThan(0.002);
  });

  it('is 1 for equal vectors, and 0 for opposite ones', () => {
    const question = multiVector(1, 64);
    const opposite = { ...question, vectors: question.vectors.map((x) => -x) };
    expect(score(question, question)).toBeCloseTo(1, 4);
    expect(score(question, opposite)).toBeCloseTo(0, 4);
    const several = multiVector(6, 64);
    expect(score(several, several)).toBeCloseTo(1, 4);
  });

  it('does not depend on the order of the page vectors', () => {
    const question = multiVector(7, 32);
    const page = multiVector(9, 32);
    const turned = {
      ...page,
      vectors: Float32Array.from(
        rowsOf(page)
          .reverse()
          .flatMap((row) => [...row]),
      ),
    };
    expect(score(question, turned)).toBe(score(question, page));
  });

  it('scores vectors with one byte per dimension, scaled to the full range', () => {
    const spiked = { dims: 4, vectors: Float32Array.of(1, 0, 0, 0, 0.5, -0.5, 0.5, -0.5) };
    const { vectors, vectorCount } = encodedPage(spiked);
    expect([...new Int8Array(vectors)]).toEqual([127, 0, 0, 0, 127, -127, 127, -127]);
    expect(vectorCount).toBe(2);
  });
});
