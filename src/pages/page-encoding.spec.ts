import { Random } from '../../test/support/random.js';
import { toUnitLength } from '../embedding/unit-length.js';
import type { MultiVector } from '../multivector/page-embedder.js';
import { FixedDimensionalEncoder } from './fixed-dimensional-encoding.js';
import { encodedPage, encodedQuestion, ENCODING_DIMENSIONS } from './page-encoding.js';

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

const joined = (...parts: MultiVector[]): MultiVector => ({
  dims: parts[0]!.dims,
  vectors: Float32Array.from(parts.flatMap(({ vectors }) => [...vectors])),
});

describe('the fixed-dimensional encoding', () => {
  it.each([2, 128, 384])('has one length for vectors of %i dimensions', (dims) => {
    expect(encodedPage(multiVector(3, dims)).encoding).toHaveLength(ENCODING_DIMENSIONS);
    expect(encodedQuestion(multiVector(3, dims))).toHaveLength(ENCODING_DIMENSIONS);
  });

  it('fits into an index of halfvec', () => {
    expect(ENCODING_DIMENSIONS).toBeLessThanOrEqual(4_000);
  });

  it('stays as it is: stored ones are compared with those of later versions', () => {
    const { encoding } = encodedPage({
      dims: 4,
      vectors: Float32Array.of(0.5, -0.5, 0.5, -0.5, 0, 0.6, 0.8, 0),
    });
    expect([...encoding.subarray(0, 6)].map((x) => x.toFixed(4))).toEqual([
      '-0.3500',
      '0.3500',
      '0.3500',
      '-0.3500',
      '0.0500',
      '-0.3500',
    ]);
  });

  it('of a question is the sum over its vectors', () => {
    const [one, other] = [multiVector(2, 32), multiVector(3, 32)];
    const apart = [encodedQuestion(one), encodedQuestion(other)];
    encodedQuestion(joined(one, other)).forEach((x, i) => {
      expect(x).toBeCloseTo(apart[0]![i]! + apart[1]![i]!, 4);
    });
  });

  it('of a page is the mean over vectors of one region: one of them twice changes nothing', () => {
    const page = multiVector(1, 32);
    expect(encodedPage(joined(page, page)).encoding).toEqual(encodedPage(page).encoding);
  });

  it('leaves no region of a page empty: a page of one vector meets every vector of a question', () => {
    const encoder = new FixedDimensionalEncoder(32, { repetitions: 2, planes: 3, projected: 400 });
    const page = multiVector(1, 32);
    const question = multiVector(5, 32);
    const cosines = Array.from({ length: 5 }, (_, row) =>
      dot(question.vectors.subarray(row * 32, (row + 1) * 32), page.vectors),
    );
    const estimate = dot(encoder.ofQuestion(question), encoder.ofPage(page)) / 2; // over its repetitions
    expect(Math.abs(estimate - cosines.reduce((sum, x) => sum + x, 0))).toBeLessThan(0.4);
  });

  it('finds the page that a question was made from among 300', () => {
    const pages = Array.from({ length: 300 }, () => multiVector(20, 64));
    const encodings = pages.map((page) => encodedPage(page).encoding);
    const found = [17, 150, 299].map((wanted) => {
      const question = encodedQuestion(multiVector(20, 64, pages[wanted]));
      const products = encodings.map((encoding) => dot(question, encoding));
      return products.indexOf(Math.max(...products));
    });
    expect(found).toEqual([17, 150, 299]);
  });
});
