import type { GreyPixels } from './pdf/page-raster.js';

/** The picture as PGM (portable grey map). */
export function pgmOf({ data, width, height }: GreyPixels): Uint8Array {
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const image = new Uint8Array(header.length + data.length);
  image.set(header);
  image.set(data, header.length);
  return image;
}

/** @param quarters number of quarter turns: 1, 2 or 3 */
export function turnedClockwise({ data, width, height }: GreyPixels, quarters: number): GreyPixels {
  const turned = new Uint8Array(data.length);
  const [across, down] = quarters === 2 ? [width, height] : [height, width];
  let at = 0;
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const [fromX, fromY] =
        quarters === 1
          ? [y, height - 1 - x]
          : quarters === 2
            ? [width - 1 - x, height - 1 - y]
            : [width - 1 - y, x];
      turned[at] = data[fromY * width + fromX] ?? 0;
      at += 1;
    }
  }
  return { data: turned, width: across, height: down };
}

/**
 * Whether the lines of a text run across the picture. Then the darkness changes more from one row of pixels to the next
 * than from one column to the next.
 */
export function hasUprightLines({ data, width, height }: GreyPixels): boolean {
  const rows = new Float64Array(height);
  const columns = new Float64Array(width);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const ink = 255 - (data[y * width + x] ?? 0);
      rows[y] = (rows[y] ?? 0) + ink / width;
      columns[x] = (columns[x] ?? 0) + ink / height;
    }
  }
  return changeIn(rows) >= changeIn(columns);
}

function changeIn(values: Float64Array): number {
  return values.reduce((sum, value, at) => sum + (at === 0 ? 0 : (value - (values[at - 1] ?? 0)) ** 2), 0);
}
