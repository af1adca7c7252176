import { Random } from '../../test/support/random.js';
import { toUnitLength } from '../embedding/unit-length.js';
import type { MultiVector } from '../multivector/page-embedder.js';
import { encodedPage, pooled } from './page-encoding.js';

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

describe('the pooled vector of a page', () => {
  it('is the direction of the mean', () => {
    const page = { dims: 2, vectors: Float32Array.of(1, 0, 0, 1, 1, 0) };
    const length = Math.hypot(2, 1);
    expect(Array.from(encodedPage(page).pooled)).toEqual([
      expect.closeTo(2 / length, 6),
      expect.closeTo(1 / length, 6),
    ]);
  });

  it('is there for vectors that cancel each other out', () => {
    expect([...pooled({ dims: 2, vectors: Float32Array.of(0, 1, 0, -1) })]).toEqual([0, 1]);
  });

  it('finds the page that a question was made from among 300', () => {
    const pages = Array.from({ length: 300 }, () => multiVector(20, 64));
    const found = [17, 150, 299].map((wanted) => {
      const question = pooled(multiVector(20, 64, pages[wanted]));
      const products = pages.map((page) => dot(question, encodedPage(page).pooled));
      return products.indexOf(Math.max(...products));
    });
    expect(found).toEqual([17, 150, 299]);
  });
});
