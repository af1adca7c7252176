import { Random } from '../../../test/support/random.js';
import { toUnitLength } from '../../embedding/unit-length.js';
import type { MultiVector } from '../../multivector/page-embedder.js';
import { encodedPage } from '../page-encoding.js';
import { maxSim, prepared } from './max-sim.js';

const random = new Random(11);

function randomVectors(count: number, dims: number): MultiVector {
  const vectors = Float32Array.from({ length: count * dims }, () => random.below(2_001) / 1_000 - 1);
  for (let row = 0; row < count; row++) toUnitLength(vectors.subarray(row * dims, (row + 1) * dims));
  return { dims, vectors };
}

const rowsOf = ({ dims, vectors }: MultiVector): Float32Array[] =>
  Array.from({ length: vectors.length / dims }, (_, row) => vectors.subarray(row * dims, (row + 1) * dims));

/** As the paper writes it, over the vectors as they were. */
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

describe('late interaction over stored vectors', () => {
  it.each([
    [1, 1, 4],
    [3, 5, 16],
    [4, 1, 128],
    [5, 40, 128],
    [20, 80, 384],
  ])('of %i vectors with %i of %i dimensions is the mean of the best cosines', (asked, stored, dims) => {
    const question = randomVectors(asked, dims);
    const page = randomVectors(stored, dims);
    expect(Math.abs(score(question, page) - reference(question, page))).toBeLessThan(0.002);
  });

  it('is 1 for a page with all vectors of the question, and 0 for their opposites', () => {
    const question = randomVectors(1, 64);
    const opposite = { ...question, vectors: question.vectors.map((x) => -x) };
    expect(score(question, question)).toBeCloseTo(1, 4);
    expect(score(question, opposite)).toBeCloseTo(0, 4);
    const several = randomVectors(6, 64);
    expect(score(several, several)).toBeCloseTo(1, 4);
  });

  it('does not depend on the order of the vectors of a page', () => {
    const question = randomVectors(7, 32);
    const page = randomVectors(9, 32);
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

  it('stores a byte a dimension, whatever the size of the numbers', () => {
    const spiked = { dims: 4, vectors: Float32Array.of(1, 0, 0, 0, 0.5, -0.5, 0.5, -0.5) };
    const { vectors, vectorCount } = encodedPage(spiked);
    expect([...new Int8Array(vectors)]).toEqual([127, 0, 0, 0, 127, -127, 127, -127]);
    expect(vectorCount).toBe(2);
  });
});
