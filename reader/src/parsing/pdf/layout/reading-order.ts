import { guttersOf, type Gutter } from './gutters.js';
import { isProse } from './prose.js';
import { rowsOf, rowsWith, type Row } from './rows.js';
import { SAME_LINE, type Segment } from './segments.js';
import { tableRows } from './table-rows.js';

/** Step above which a row is apart from the row above, in font sizes. */
export const PARAGRAPH_STEP = 1.7;

/** Maximum number of parts of a gutter that are examined. */
const MAX_PARTS = 12;

/** Maximum number of cuts of a page. */
const MAX_CUTS = 100;

/** Maximum deviation of the baselines of aligned rows, in font sizes. */
const ALIGNED = 0.12;

/** Minimum number of rows of columns that are not prose. */
const MIN_ROWS = 3;

/** Maximum number of changes between two columns that were drawn one after the other. */
const MAX_CHANGES = 2;

/**
 * Orders the text of an upright page as a person reads it: from top to bottom, columns one after another, the cells of
 * a table row by row. The order in which the text was drawn counts only where the positions leave doubt.
 */
export function inReadingOrder(segments: readonly Segment[]): Row[] {
  return new Cuts().ordered(rowsOf(segments));
}

class Cuts {
  private left = MAX_CUTS;

  ordered(rows: readonly Row[]): Row[] {
    if (rows.length < 2 || this.left === 0) return tableRows(rows);
    const size = medianOf(rows.map((row) => row.size));
    for (const gutter of guttersOf(rows, size).flatMap((one) => partsOf(rows, one))) {
      const band = bandBeside(rows, gutter);
      const middle = (gutter.left + gutter.right) / 2;
      const left = rowsWith(band.rows, (segment) => segment.left < middle);
      const right = rowsWith(band.rows, (segment) => segment.left >= middle);
      if (!areColumns(left, right)) continue;
      this.left -= 1;
      return [
        ...this.ordered(rows.slice(0, band.from)),
        ...this.ordered(left),
        ...this.ordered(right),
        ...this.ordered(rows.slice(band.to)),
      ];
    }
    return tableRows(rows);
  }
}

/** A gutter, and its parts between rows that are apart. Other text may continue the strip without text. */
function partsOf(rows: readonly Row[], gutter: Gutter): Gutter[] {
  const cuts = [gutter.from];
  for (let at = gutter.from + 1; at < gutter.to; at += 1) if (isApart(rows[at - 1], rows[at])) cuts.push(at);
  if (cuts.length === 1) return [gutter];
  const parts = cuts.map((from, index) => ({ ...gutter, from, to: cuts[index + 1] ?? gutter.to }));
  return [gutter, ...parts.filter(({ from, to }) => to - from > 1).slice(0, MAX_PARTS)];
}

/** The rows beside a gutter, without the rows of one side that are apart from the columns. */
function bandBeside(
  rows: readonly Row[],
  gutter: Gutter,
): { readonly from: number; readonly to: number; readonly rows: readonly Row[] } {
  const middle = (gutter.left + gutter.right) / 2;
  const sides = [
    (row: Row | undefined) => row?.segments.some(({ left }) => left < middle) === true,
    (row: Row | undefined) => row?.segments.some(({ right }) => right > middle) === true,
  ];
  let { from, to } = gutter;
  for (const has of sides) {
    let first = gutter.from;
    while (first < gutter.to && !has(rows[first])) first += 1;
    for (let at = gutter.from + 1; at <= first; at += 1)
      if (isApart(rows[at - 1], rows[at])) from = Math.max(from, at);
    let last = gutter.to - 1;
    while (last > gutter.from && !has(rows[last])) last -= 1;
    for (let at = gutter.to - 1; at > last; at -= 1)
      if (isApart(rows[at - 1], rows[at])) to = Math.min(to, at);
  }
  to = endOfColumns(rows, from, to, middle);
  return { from, to, rows: rows.slice(from, to) };
}

/** Maximum number of rows of a part below columns that is examined. */
const MAX_ROWS_BELOW = 3;

/** Excludes rows below the columns that do not belong to them, such as the header of a table after a gap. */
function endOfColumns(rows: readonly Row[], from: number, to: number, middle: number): number {
  let end = to;
  for (let at = to - 1; at > from && at >= to - MAX_ROWS_BELOW; at -= 1) {
    if (!isBelowColumns(rows, at)) continue;
    const below = rows.slice(at, end);
    const left = rowsWith(below, (segment) => segment.left < middle);
    const right = rowsWith(below, (segment) => segment.left >= middle);
    if (left.length > 0 && right.length > 0 && !areColumns(left, right)) end = at;
  }
  return end;
}

/** Step above which a row may be below columns, in steps of the lines above, and relative difference of font sizes. */
const OTHER_STEP = 1.25;
const OTHER_SIZE = 0.05;

function isBelowColumns(rows: readonly Row[], at: number): boolean {
  const [before, above, row] = [rows[at - 2], rows[at - 1], rows[at]];
  if (above === undefined || row === undefined || isApart(above, row)) return true;
  const isOtherSize = Math.abs(above.size - row.size) > OTHER_SIZE * above.size;
  return isOtherSize || (before !== undefined && above.y - row.y > OTHER_STEP * (before.y - above.y));
}

function isApart(above: Row | undefined, below: Row | undefined): boolean {
  if (above === undefined || below === undefined) return true;
  return above.y - below.y > PARAGRAPH_STEP * Math.max(above.size, below.size);
}

/** Whether two sides of a gutter are read one after the other. Otherwise, they are cells of a table. */
function areColumns(left: readonly Row[], right: readonly Row[]): boolean {
  if (left.length === 0 || right.length === 0) return false;
  if (isProse(left) && isProse(right)) return true;
  const fewer = Math.min(left.length, right.length);
  return (
    fewer >= MIN_ROWS && alignedRows(left, right) < fewer / 2 && changesBetween(left, right) <= MAX_CHANGES
  );
}

/** Number of rows that stand beside each other with the same difference of their baselines. */
function alignedRows(left: readonly Row[], right: readonly Row[]): number {
  const differences: number[] = [];
  let at = 0;
  for (const { y, size } of left) {
    while (at < right.length && (right[at]?.y ?? 0) > y + SAME_LINE * size) at += 1;
    const beside = right[at];
    if (beside !== undefined && y - beside.y <= SAME_LINE * size) differences.push((y - beside.y) / size);
  }
  const usual = medianOf(differences);
  return differences.filter((difference) => Math.abs(difference - usual) <= ALIGNED).length;
}

function changesBetween(left: readonly Row[], right: readonly Row[]): number {
  const drawn = [left, right].flatMap((rows, side) =>
    rows.flatMap(({ segments }) => segments.map(({ order }) => ({ order, side }))),
  );
  drawn.sort((a, b) => a.order - b.order);
  return drawn.filter(({ side }, index) => index > 0 && drawn[index - 1]?.side !== side).length;
}

function medianOf(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
