import { SAME_LINE, SEGMENT_GAP, type Segment } from './segments.js';

/** Segments on one baseline, from left to right. */
export interface Row {
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly size: number;
}

/** Step above which a row is apart from the row above, in font sizes. */
export const PARAGRAPH_STEP = 1.7;

/** Sorts segments into rows from top to bottom, whatever order they were drawn in. */
export function rowsOf(segments: readonly Segment[]): Row[] {
  const rows: Segment[][] = [];
  for (const segment of [...segments].sort((a, b) => b.y - a.y || a.left - b.left)) {
    const row = rows.at(-1);
    const first = row?.[0];
    const isNear =
      first !== undefined && first.y - segment.y <= Math.min(first.size, segment.size) * SAME_LINE;
    if (row !== undefined && isNear) row.push(segment);
    else rows.push([segment]);
  }
  return rows.map(rowOf);
}

function rowOf(segments: readonly Segment[]): Row {
  return { ...largestOf(segments), segments: [...segments].sort((a, b) => a.left - b.left) };
}

function largestOf(segments: readonly Segment[]): Pick<Row, 'y' | 'size'> {
  const { y, size } = segments.reduce((a, b) => (b.size > a.size ? b : a));
  return { y, size };
}

/** Rows without the segments that do not match. Rows that become empty are left out. */
export function rowsWith(rows: readonly Row[], matches: (segment: Segment) => boolean): Row[] {
  const matching: Row[] = [];
  for (const row of rows) {
    const own = row.segments.filter(matches);
    if (own.length === row.segments.length) matching.push(row);
    else if (own.length > 0) matching.push({ ...largestOf(own), segments: own });
  }
  return matching;
}

/** Gap between cells, and between cells that were not drawn one after the other, in font sizes. */
const CELL_GAP = 1.5;
const SEPARATE_GAP = 0.5;

const NUMBER = /^[\p{Sc}(−–-]?\p{N}[\p{N}.,%)]*$/u;

/**
 * Joins the segments of a row to cells. Numbers, and segments that were not drawn one after the other, are separate
 * cells.
 */
export function cellsOf({ segments }: Row): Segment[] {
  const cells: Segment[] = [];
  let before: Segment | undefined;
  for (const segment of segments) {
    const last = cells.at(-1);
    if (last === undefined || before === undefined || isNewCell(before, segment)) cells.push(segment);
    else cells[cells.length - 1] = joined(last, segment);
    before = segment;
  }
  return cells;
}

function isNewCell(before: Segment, segment: Segment): boolean {
  const gap = (segment.left - before.right) / Math.max(segment.size, before.size);
  if (gap > CELL_GAP) return true;
  const isDrawnNext = segment.order === before.lastOrder + 1;
  if (!isDrawnNext) return gap > SEPARATE_GAP;
  return gap > SEGMENT_GAP && NUMBER.test(before.text) && NUMBER.test(segment.text);
}

/** Joins two parts of a line. */
function joined(first: Segment, second: Segment): Segment {
  return {
    ...first,
    text: `${first.text} ${second.text}`,
    left: Math.min(first.left, second.left),
    right: Math.max(first.right, second.right),
    lastOrder: second.lastOrder,
  };
}

/** Typical font size of rows. */
export function sizeOf(rows: readonly Row[]): number {
  return medianOf(rows.map(({ size }) => size));
}

export function medianOf(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
