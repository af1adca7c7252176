import type { Row } from './rows.js';

/** A vertical strip without text, with text on both sides. */
export interface Gutter {
  /** First row, and row after the last. */
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
}

/** Number of strips into which the width of a page is divided. */
const STRIPS = 512;

/** Minimum width of a gutter, in font sizes. */
const MIN_WIDTH = 0.8;

/** Width of an evident gutter, in font sizes. A narrower one may be a river of white space in justified text. */
const EVIDENT_WIDTH = 0.95;

/** Minimum number of rows beside an evident gutter, and beside a narrow one. */
const MIN_ROWS = 2;
const MIN_ROWS_OF_NARROW = 6;

const MAX_CANDIDATES = 24;

/**
 * The largest gutters of rows, the one beside most rows first. Finds the maximal empty rectangles of a grid of rows and
 * strips with the stack algorithm for the largest rectangle below a histogram. The time is linear in the cells.
 *
 * @param size typical font size
 */
export function guttersOf(rows: readonly Row[], size: number): Gutter[] {
  const spans = rows.map(({ segments }) => ({
    left: Math.min(...segments.map(({ left }) => left)),
    right: Math.max(...segments.map(({ right }) => right)),
  }));
  const left = Math.min(...spans.map((span) => span.left));
  const unit = (Math.max(...spans.map((span) => span.right)) - left) / STRIPS;
  if (!(unit > 0) || rows.length < MIN_ROWS) return [];
  const filled = rows.map((row) => filledStrips(row, left, unit));
  const free = new Uint32Array(STRIPS);
  const found: Gutter[] = [];
  for (const [index, strips] of filled.entries()) {
    for (let at = 0; at < STRIPS; at += 1) free[at] = strips[at] === 1 ? 0 : (free[at] ?? 0) + 1;
    const next = filled[index + 1];
    for (const [from, to, height] of rectanglesBelow(free)) {
      const width = (to - from) * unit;
      const isMaximal = next === undefined || next.subarray(from, to).includes(1);
      if (!isMaximal || height < MIN_ROWS || width < size * MIN_WIDTH) continue;
      found.push({
        from: index + 1 - height,
        to: index + 1,
        left: left + from * unit,
        right: left + to * unit,
      });
    }
  }
  return found
    .sort((a, b) => b.to - b.from - (a.to - a.from) || b.right - b.left - (a.right - a.left))
    .slice(0, MAX_CANDIDATES)
    .map((gutter) => ({ gutter, rows: rowsBeside(spans, gutter) }))
    .filter(({ gutter, rows: beside }) => {
      const isEvident = gutter.right - gutter.left >= size * EVIDENT_WIDTH;
      return beside >= (isEvident ? MIN_ROWS : MIN_ROWS_OF_NARROW);
    })
    .sort((a, b) => b.rows - a.rows)
    .map(({ gutter }) => gutter);
}

function filledStrips({ segments }: Row, left: number, unit: number): Uint8Array {
  const strips = new Uint8Array(STRIPS);
  for (const segment of segments) {
    strips.fill(1, Math.floor((segment.left - left) / unit), Math.ceil((segment.right - left) / unit));
  }
  return strips;
}

/** The maximal rectangles below a histogram: first column, column after the last, height. */
function rectanglesBelow(heights: Uint32Array): [number, number, number][] {
  const rectangles: [number, number, number][] = [];
  const open: { from: number; height: number }[] = [];
  for (let at = 0; at <= heights.length; at += 1) {
    const height = heights[at] ?? 0;
    let from = at;
    for (let last = open.at(-1); last !== undefined && last.height > height; last = open.at(-1)) {
      rectangles.push([last.from, at, last.height]);
      from = last.from;
      open.pop();
    }
    if (height > 0 && open.at(-1)?.height !== height) open.push({ from, height });
  }
  return rectangles;
}

/** Number of rows of the side with fewer rows. */
function rowsBeside(
  spans: readonly { readonly left: number; readonly right: number }[],
  gutter: Gutter,
): number {
  const beside = spans.slice(gutter.from, gutter.to);
  const middle = (gutter.left + gutter.right) / 2;
  return Math.min(
    beside.filter((span) => span.left < middle).length,
    beside.filter((span) => span.right > middle).length,
  );
}
