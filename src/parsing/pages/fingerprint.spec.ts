import { createCanvas, loadImage, type Canvas } from '@napi-rs/canvas';
import { Random } from '../../test/support/random.js';
import { fingerprintOf, likeness, type Grayscale } from './fingerprint.js';

/** A page of words in lines, with a block somewhere, as different as pages are. */
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

function grayscale(canvas: Canvas): Grayscale {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const pixels = Uint8Array.from({ length: width * height }, (_, at) =>
    Math.round((data[at * 4]! + data[at * 4 + 1]! + data[at * 4 + 2]!) / 3),
  );
  return { width, height, pixels };
}

/** Scaled to 60% and compressed as JPEG. */
async function copied(page: Canvas): Promise<Canvas> {
  const small = createCanvas(Math.round(page.width * 0.6), Math.round(page.height * 0.6));
  small.getContext('2d').drawImage(page, 0, 0, small.width, small.height);
  const image = await loadImage(await small.encode('jpeg', 40));
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas;
}

const fingerprint = (canvas: Canvas): Buffer => fingerprintOf(grayscale(canvas))!;

describe('the fingerprint of an image', () => {
  it('is nearer to a smaller, compressed copy than to any other of 30 pages', async () => {
    const stored = Array.from({ length: 30 }, (_, seed) => fingerprint(drawnPage(seed)));
    for (const seed of [0, 7, 29]) {
      const asked = fingerprint(await copied(drawnPage(seed)));
      const likenesses = stored.map((one) => likeness(asked, one));
      expect(likenesses.indexOf(Math.max(...likenesses))).toBe(seed);
      expect(likenesses[seed]).toBeGreaterThan(0.9);
    }
  });

  it('does not depend on how light the image is', () => {
    const page = grayscale(drawnPage(3));
    const faded = { ...page, pixels: page.pixels.map((x) => 100 + Math.round(x / 2)) };
    expect(likeness(fingerprintOf(page)!, fingerprintOf(faded)!)).toBeGreaterThan(0.95);
  });

  it('has eight bytes, also of an image smaller than its own raster', () => {
    const tiny = { width: 2, height: 3, pixels: Uint8Array.of(0, 255, 10, 200, 90, 30) };
    expect(fingerprintOf(tiny)).toHaveLength(8);
  });

  it('is null for an empty page', () => {
    expect(fingerprintOf({ width: 50, height: 70, pixels: new Uint8Array(3_500).fill(255) })).toBeNull();
  });

  it('is as alike as the share of equal bits', () => {
    expect(likeness(Uint8Array.of(0xff, 0), Uint8Array.of(0xff, 0))).toBe(1);
    expect(likeness(Uint8Array.of(0xff, 0), Uint8Array.of(0, 0))).toBe(0.5);
    expect(likeness(Uint8Array.of(0xf0), Uint8Array.of(0x0f))).toBe(0);
  });
});
