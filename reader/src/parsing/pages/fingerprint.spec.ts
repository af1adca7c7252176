import { Transformer } from '@napi-rs/image';
import { createCanvas, loadImage, type Canvas } from '@napi-rs/canvas';
import { Random } from '../../../../test/support/random.js';
import { fingerprintOf } from './fingerprint.js';

/** Draws lines of words and a block; pages differ like real pages. */
function drawnPage(seed: number): Canvas {
  const random = new Random(seed);
  const canvas = createCanvas(620, 877);
  const pen = canvas.getContext('2d');
  pen.fillStyle = 'white';
  pen.fillRect(0, 0, 620, 877);
  pen.fillStyle = 'black';
  for (let line = 0; line < 40; line++) {
    if (random.below(4) > 0) pen.fillRect(60, 60 + line * 19, 50 + random.below(450), 7);
  }
  pen.fillStyle = 'gray';
  pen.fillRect(
    60 + random.below(300),
    60 + random.below(500),
    100 + random.below(150),
    80 + random.below(200),
  );
  return canvas;
}

/** Returns a copy scaled to 60% and compressed as JPEG. */
async function copied(page: Canvas): Promise<Canvas> {
  const small = createCanvas(Math.round(page.width * 0.6), Math.round(page.height * 0.6));
  small.getContext('2d').drawImage(page, 0, 0, small.width, small.height);
  const image = await loadImage(await small.encode('jpeg', 40));
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas;
}

const fingerprint = async (canvas: Canvas): Promise<string | null> =>
  fingerprintOf(new Transformer(await canvas.encode('png')));

/** Returns the share of equal bits of two fingerprints. */
function likeness(one: string | null, other: string | null): number {
  expect([one, other]).toEqual([expect.stringMatching(/^[01]{64}$/), expect.stringMatching(/^[01]{64}$/)]);
  return Array.from(one!).filter((bit, at) => bit === other![at]).length / one!.length;
}

describe('the fingerprint of an image', () => {
  it('is nearer to a smaller, compressed copy than to any other of 30 pages', async () => {
    const stored = await Promise.all(Array.from({ length: 30 }, (_, seed) => fingerprint(drawnPage(seed))));
    for (const seed of [0, 7, 29]) {
      const asked = await fingerprint(await copied(drawnPage(seed)));
      const likenesses = stored.map((one) => likeness(asked, one));
      expect(likenesses.indexOf(Math.max(...likenesses))).toBe(seed);
      expect(likenesses[seed]).toBeGreaterThan(0.9);
    }
  });

  it('is independent of brightness', async () => {
    const page = drawnPage(3);
    const faded = createCanvas(page.width, page.height);
    const pen = faded.getContext('2d');
    pen.drawImage(page, 0, 0);
    pen.fillStyle = 'rgba(255, 255, 255, 0.5)';
    pen.fillRect(0, 0, faded.width, faded.height);
    expect(likeness(await fingerprint(page), await fingerprint(faded))).toBeGreaterThan(0.95);
  });

  it('exists for an image smaller than its raster, with and without transparency', async () => {
    const pixels = Uint8Array.from({ length: 24 }, (_, at) => (at * 37) % 256);
    await expect(fingerprintOf(Transformer.fromRgbaPixels(pixels, 2, 3))).resolves.toHaveLength(64);
    const jpeg = await Transformer.fromRgbaPixels(pixels, 2, 3).jpeg();
    await expect(fingerprintOf(new Transformer(jpeg))).resolves.toHaveLength(64);
  });

  it('is null for an empty page', async () => {
    const white = new Uint8Array(50 * 70 * 4).fill(255);
    await expect(fingerprintOf(Transformer.fromRgbaPixels(white, 50, 70))).resolves.toBeNull();
  });
});
