import type { PageObject } from './page-objects.js';

/** Number of rows and columns into which a page is divided. */
const CELLS = 64;

/** Share of a page that pictures cover, 0 to 1. A scan may consist of many strips or tiles. */
export function pictureShare(objects: readonly PageObject[]): number {
  if (!objects.some(({ kind }) => kind === 'image')) return 0;
  const covered = new Uint8Array(CELLS * CELLS);
  for (const { kind, left, top, width, height } of objects) {
    if (kind !== 'image') continue;
    const [fromX, toX] = cellsOf(left, width);
    const [fromY, toY] = cellsOf(top, height);
    for (let y = fromY; y < toY; y += 1) {
      covered.fill(1, y * CELLS + fromX, y * CELLS + toX);
    }
  }
  return covered.reduce((sum, one) => sum + one, 0) / covered.length;
}

/** The cells from `start`, and the cell after the last, whose centres are covered. */
function cellsOf(start: number, length: number): readonly [number, number] {
  const bounded = (at: number): number => Math.min(CELLS, Math.max(0, Math.round(at * CELLS)));
  const from = bounded(start);
  return [from, Math.max(from, bounded(start + length))];
}
