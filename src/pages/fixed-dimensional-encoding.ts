import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { MultiVector } from '../multivector/page-embedder.js';

/** Of the random planes and signs: stored encodings are of no use with another one. */
const SEED = 0x6c65_6374;

/** How space is parted; the length of an encoding is `repetitions` x 2^`planes` x `projected`. */
export interface Partition {
  /** Independent partitions side by side. */
  readonly repetitions: number;
  /** Random planes that part the space into regions. */
  readonly planes: number;
  /** Dimensions that a region keeps of its vectors. */
  readonly projected: number;
}

/**
 * Many vectors as one whose inner product with another estimates late interaction (Dhulipala, Hadian, Jayaram, Lee and
 * Mirrokni 2024, "MUVERA", section 2): random planes part the space into regions; in every region a question has the sum
 * of its vectors and a page their mean, so that vectors meet those near them. A region that a page leaves empty takes
 * the vector whose region is the nearest.
 */
export class FixedDimensionalEncoder {
  private readonly normals: Float64Array;
  private readonly signs: Float64Array;

  /** @param dims of the vectors. */
  constructor(
    private readonly dims: number,
    private readonly partition: Partition,
  ) {
    const { repetitions, planes, projected } = partition;
    const random = xoroshiro128plus(SEED);
    this.normals = Float64Array.from({ length: repetitions * planes * dims }, () => {
      const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(random)));
      return radius * Math.cos(2 * Math.PI * uniformFloat64(random)); // Box and Muller 1958
    });
    const scale = 1 / Math.sqrt(projected);
    this.signs = Float64Array.from({ length: repetitions * projected * dims }, () =>
      uniformFloat64(random) < 0.5 ? -scale : scale,
    );
  }

  /** The encoding of a question, of any length. */
  ofQuestion(question: MultiVector): Float32Array {
    return this.encoded(question, (sums) => sums);
  }

  /** The encoding of a page, of any length. */
  ofPage(page: MultiVector): Float32Array {
    return this.encoded(page, (sums, regions, repetition) => this.means(page, sums, regions, repetition));
  }

  private encoded(
    { vectors }: MultiVector,
    finished: (sums: Float64Array, regions: Uint32Array, repetition: number) => Float64Array,
  ): Float32Array {
    const { repetitions, planes, projected } = this.partition;
    const size = 2 ** planes * projected;
    const encoding = new Float32Array(repetitions * size);
    const regions = new Uint32Array(vectors.length / this.dims);
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const sums = new Float64Array(size);
      for (let row = 0; row < regions.length; row++) {
        const vector = vectors.subarray(row * this.dims, (row + 1) * this.dims);
        const region = this.regionOf(vector, repetition);
        regions[row] = region;
        this.addProjection(vector, repetition, sums, region);
      }
      encoding.set(finished(sums, regions, repetition), repetition * size);
    }
    return encoding;
  }

  private means(
    { vectors }: MultiVector,
    sums: Float64Array,
    regions: Uint32Array,
    repetition: number,
  ): Float64Array {
    const { planes, projected } = this.partition;
    const counts = new Uint32Array(2 ** planes);
    for (const region of regions) counts[region] = (counts[region] ?? 0) + 1;
    for (let region = 0; region < counts.length; region++) {
      const count = counts[region] ?? 0;
      if (count === 0) {
        const row = nearestRow(regions, region);
        const vector = vectors.subarray(row * this.dims, (row + 1) * this.dims);
        this.addProjection(vector, repetition, sums, region);
      } else {
        for (let i = region * projected; i < (region + 1) * projected; i++) sums[i] = (sums[i] ?? 0) / count;
      }
    }
    return sums;
  }

  /** On which side of each plane a vector lies, a bit a plane. */
  private regionOf(vector: Float32Array, repetition: number): number {
    const { planes } = this.partition;
    let region = 0;
    for (let plane = 0; plane < planes; plane++) {
      const side = dotAt(vector, this.normals, (repetition * planes + plane) * this.dims);
      if (side > 0) region |= 1 << plane;
    }
    return region;
  }

  private addProjection(vector: Float32Array, repetition: number, sums: Float64Array, region: number): void {
    const { projected } = this.partition;
    for (let i = 0; i < projected; i++) {
      const at = region * projected + i;
      sums[at] = (sums[at] ?? 0) + dotAt(vector, this.signs, (repetition * projected + i) * this.dims);
    }
  }
}

function dotAt(vector: Float32Array, matrix: Float64Array, at: number): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += (vector[i] ?? 0) * (matrix[at + i] ?? 0);
  return sum;
}

/** The first row whose region differs from `region` in the fewest planes. */
function nearestRow(regions: Uint32Array, region: number): number {
  let nearest = 0;
  let fewest = Infinity;
  for (let row = 0; row < regions.length; row++) {
    const difference = bitCount((regions[row] ?? 0) ^ region);
    if (difference < fewest) [nearest, fewest] = [row, difference];
  }
  return nearest;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
