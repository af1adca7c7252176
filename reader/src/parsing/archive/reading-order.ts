/** A rectangle of a slide, in English Metric Units (914,400 to an inch). */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * How far apart the tops of shapes in one row may be. The tops of two such shapes differ by at most half of the smaller
 * height.
 */
const MIN_TOLERANCE = 91_440;
const MAX_TOLERANCE = 457_200;

/**
 * Sorts shapes into reading order: rows from top to bottom, and the shapes of a row from left to right. Shapes without
 * a position come last.
 */
export function inReadingOrder<T extends { readonly box: Box | undefined }>(shapes: readonly T[]): T[] {
  const placed: { shape: T; box: Box }[] = [];
  const others: T[] = [];
  for (const shape of shapes) {
    if (shape.box === undefined) others.push(shape);
    else placed.push({ shape, box: shape.box });
  }
  placed.sort((a, b) => a.box.y - b.box.y);
  const rows: { shape: T; box: Box }[][] = [];
  for (const one of placed) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row !== undefined && first !== undefined && isBeside(first.box, one.box)) row.push(one);
    else rows.push([one]);
  }
  return [
    ...rows.flatMap((row) => row.sort((a, b) => a.box.x - b.box.x)).map(({ shape }) => shape),
    ...others,
  ];
}

function isBeside(first: Box, second: Box): boolean {
  const half = Math.min(first.height, second.height) / 2;
  return second.y - first.y <= Math.min(MAX_TOLERANCE, Math.max(MIN_TOLERANCE, half));
}

export function around(boxes: readonly (Box | undefined)[]): Box | undefined {
  let found: Box | undefined;
  for (const box of boxes) {
    if (box === undefined) continue;
    if (found === undefined) {
      found = box;
      continue;
    }
    const [x, y] = [Math.min(found.x, box.x), Math.min(found.y, box.y)];
    const right = Math.max(found.x + found.width, box.x + box.width);
    const bottom = Math.max(found.y + found.height, box.y + box.height);
    found = { x, y, width: right - x, height: bottom - y };
  }
  return found;
}
