import { FastResizeFilter, ResizeFit, type Transformer } from '@napi-rs/image';

/** Side of the downscaled image, and number of frequencies that are kept per side. */
const SIDE = 32;
const FREQUENCIES = 8;

/** Minimum difference of shades (0 to 255). An image with less contrast is blank. */
const LEAST_CONTRAST = 2;

/**
 * The perceptual hash of an image, 64 characters of 0 and 1. The first character is 0. The others stand for the 63
 * lowest DCT frequencies, without the mean. A character is 1 if its frequency exceeds the median of these frequencies
 * (Zauner 2010, "Implementation and Benchmarking of Perceptual Image Hash Functions", section 3.2.1). The hash is
 * robust to scaling and compression, and sensitive to cropping. Unrelated images share about half of the bits.
 *
 * @param image the image, which this function downscales in place
 * @returns null for an image of one colour, whose frequencies are noise.
 */
export async function fingerprintOf(image: Transformer): Promise<string | null> {
  const small = await image
    .fastResize({ width: SIDE, height: SIDE, fit: ResizeFit.Fill, filter: FastResizeFilter.Box })
    .grayscale()
    .rawPixels();
  const channels = small.length / (SIDE * SIDE); // shade, and opacity if present
  const shades = Float64Array.from({ length: SIDE * SIDE }, (_, at) => small[at * channels] ?? 0);
  if (Math.max(...shades) - Math.min(...shades) < LEAST_CONTRAST) return null;
  const frequencies = lowFrequencies(shades);
  const [, ...rest] = frequencies;
  const median = rest.sort((a, b) => a - b)[Math.floor(rest.length / 2)] ?? 0;
  return frequencies.map((frequency, at) => (at > 0 && frequency > median ? '1' : '0')).join('');
}

const COSINES = Float64Array.from(
  { length: FREQUENCIES * SIDE },
  (_, at) => Math.cos((Math.PI * Math.floor(at / SIDE) * (2 * (at % SIDE) + 1)) / (2 * SIDE)), // of the DCT-II
);

/** The lowest frequencies of the unscaled two-dimensional DCT-II, row by row. */
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
