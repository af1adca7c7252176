/** Pixels of an image, row by row. */
export interface Grayscale {
  readonly width: number;
  readonly height: number;
  /** 0 (black) to 255 (white), `width` x `height`. */
  readonly pixels: Uint8Array;
}

/** The image is averaged to this many pixels a side, of which this many frequencies a side are kept. */
const SIDE = 32;
const FREQUENCIES = 8;

/**
 * The perceptual hash of an image, 8 bytes: which of the 63 lowest frequencies of its cosine transform, its mean left
 * out, are above their median (Zauner 2010, "Implementation and Benchmarking of Perceptual Image Hash Functions",
 * section 3.2.1). It hardly changes when the image is scaled or compressed anew, and changes when it is cropped.
 * @returns null for an image of one colour, whose frequencies are noise.
 */
export function fingerprintOf(image: Grayscale): Buffer | null {
  const small = averaged(image);
  const lightest = small.reduce((most, x) => Math.max(most, x));
  const darkest = small.reduce((least, x) => Math.min(least, x));
  if (lightest - darkest < 1) return null;
  const frequencies = lowFrequencies(small);
  const [, ...rest] = frequencies;
  const median = rest.sort((a, b) => a - b)[Math.floor(rest.length / 2)] ?? 0;
  const bits = Buffer.alloc((FREQUENCIES * FREQUENCIES) / 8);
  frequencies.forEach((frequency, index) => {
    if (index > 0 && frequency > median) {
      bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
    }
  });
  return bits;
}

/** How alike two images are, 0 to 1, by the share of equal bits; unrelated images are near .5. */
export function likeness(one: Uint8Array, other: Uint8Array): number {
  let different = 0;
  for (const [index, byte] of one.entries()) {
    for (let rest = byte ^ (other[index] ?? 0); rest !== 0; rest &= rest - 1) different++;
  }
  return 1 - different / (one.length * 8);
}

/** `SIDE` x `SIDE` pixels, each the mean of those it stands for. */
function averaged({ width, height, pixels }: Grayscale): Float64Array {
  const small = new Float64Array(SIDE * SIDE);
  for (let row = 0; row < SIDE; row++) {
    const [top, bottom] = part(row, height);
    for (let column = 0; column < SIDE; column++) {
      const [left, right] = part(column, width);
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) sum += pixels[y * width + x] ?? 0;
      }
      small[row * SIDE + column] = sum / ((bottom - top) * (right - left));
    }
  }
  return small;
}

/** From where to where the part at `index` of `length` pixels reaches: at least one. */
function part(index: number, length: number): [number, number] {
  const start = Math.min(length - 1, Math.floor((index * length) / SIDE));
  return [start, Math.max(start + 1, Math.floor(((index + 1) * length) / SIDE))];
}

const COSINES = Float64Array.from(
  { length: FREQUENCIES * SIDE },
  (_, at) => Math.cos((Math.PI * Math.floor(at / SIDE) * (2 * (at % SIDE) + 1)) / (2 * SIDE)), // of the DCT-II
);

/** The lowest frequencies of the two-dimensional DCT-II without its scale, row by row. */
function lowFrequencies(small: Float64Array): number[] {
  const rows = new Float64Array(SIDE * FREQUENCIES);
  for (let y = 0; y < SIDE; y++) {
    for (let u = 0; u < FREQUENCIES; u++) {
      let sum = 0;
      for (let x = 0; x < SIDE; x++) sum += (small[y * SIDE + x] ?? 0) * (COSINES[u * SIDE + x] ?? 0);
      rows[y * FREQUENCIES + u] = sum;
    }
  }
  return Array.from({ length: FREQUENCIES * FREQUENCIES }, (_, at) => {
    const [v, u] = [Math.floor(at / FREQUENCIES), at % FREQUENCIES];
    let sum = 0;
    for (let y = 0; y < SIDE; y++) sum += (rows[y * FREQUENCIES + u] ?? 0) * (COSINES[v * SIDE + y] ?? 0);
    return sum;
  });
}
