import { areColumns } from './columns.js';
import type { Gutter } from './gutters.js';
import { isOverlapping, LINE_STEP, SENTENCE_END } from './prose.js';
import { PARAGRAPH_STEP, rowsWith, type Row } from './rows.js';
import type { Segment } from './segments.js';

/** Maximum number of parts of a gutter that are examined. */
const MAX_PARTS = 12;

/** A gutter, and its parts between rows that are apart. Other text may continue the strip without text. */
export function partsOf(rows: readonly Row[], gutter: Gutter): Gutter[] {
  const cuts = [gutter.from];
  for (let at = gutter.from + 1; at < gutter.to; at += 1) if (isApart(rows[at - 1], rows[at])) cuts.push(at);
  if (cuts.length === 1) return [gutter];
  const parts = cuts.map((from, index) => ({ ...gutter, from, to: cuts[index + 1] ?? gutter.to }));
  return [gutter, ...parts.filter(({ from, to }) => to - from > 1).slice(0, MAX_PARTS)];
}

/** The rows beside a gutter, without the rows of one side that are apart from the columns, and without tables. */
export function bandBeside(
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
      if (isApart(rows[at - 1], rows[at]) && startsAnew(rows, at)) to = Math.min(to, at);
  }
  to = endOfColumns(rows, from, to, middle);
  [from, to] = withoutTable(rows, from, to, middle);
  return { from, to, rows: rows.slice(from, to) };
}

/** Maximum number of rows of a part below columns that is examined. */
const MAX_ROWS_BELOW = 3;

/** Excludes rows below the columns that do not belong to them, such as the header of a table after a gap. */
function endOfColumns(rows: readonly Row[], from: number, to: number, middle: number): number {
  let end = to;
  for (let at = to - 1; at > from && at >= to - MAX_ROWS_BELOW; at -= 1) {
    const below = rows.slice(at, end);
    const left = rowsWith(below, (segment) => segment.left < middle);
    const right = rowsWith(below, (segment) => segment.left >= middle);
    if (left.length === 0 || right.length === 0) continue;
    const above = rows.slice(Math.max(from, at - MAX_ROWS_ABOVE), at);
    const lines = [left, right].flatMap(([first]) => first?.segments ?? []);
    const isBelow = isApart(rows[at - 1], rows[at]) || lines.every((line) => isOtherLine(above, line));
    if (!isBelow || lines.some((line) => continuesText(above, line))) continue;
    if (!areColumns(left, right)) end = at;
  }
  return end;
}

/** Step above which a row may be below columns, in steps of the lines above, and relative difference of font sizes. */
const OTHER_STEP = 1.25;
const OTHER_SIZE = 0.05;

/** Number of rows in which the lines above are searched. Rows of other columns may lie between. */
const MAX_ROWS_ABOVE = 8;

/** Whether a row does not continue the regular steps of the rows above, as the rows of a table do. */
function startsAnew(rows: readonly Row[], at: number): boolean {
  const [first] = rows[at]?.segments ?? [];
  return first === undefined || isOtherLine(rows.slice(Math.max(0, at - MAX_ROWS_ABOVE), at), first);
}

/** Whether a line has another size than the line above, or is farther from it than that one from the line before. */
function isOtherLine(rows: readonly Row[], line: Segment): boolean {
  const [above, before] = linesAbove(rows, line);
  if (above === undefined) return true;
  if (Math.abs(above.size - line.size) > OTHER_SIZE * above.size) return true;
  return before !== undefined && above.y - line.y > OTHER_STEP * (before.y - above.y);
}

/** Whether a line continues the sentence of the line above. */
function continuesText(rows: readonly Row[], line: Segment): boolean {
  const [above] = linesAbove(rows, line);
  return (
    above !== undefined &&
    above.y - line.y <= LINE_STEP * line.size &&
    /^\p{Ll}/u.test(line.text) &&
    !SENTENCE_END.test(above.text) &&
    Math.abs(above.left - line.left) <= line.size
  );
}

/** The two lines above a line in its column, the next one first. */
function linesAbove(rows: readonly Row[], line: Segment): readonly Segment[] {
  const lines: Segment[] = [];
  for (let at = rows.length - 1; at >= 0 && lines.length < 2; at -= 1) {
    const above = rows[at]?.segments.find((one) => isOverlapping(one, line));
    if (above !== undefined) lines.push(above);
  }
  return lines;
}

function isApart(above: Row | undefined, below: Row | undefined): boolean {
  if (above === undefined || below === undefined) return true;
  return above.y - below.y > PARAGRAPH_STEP * Math.max(above.size, below.size);
}

/** Minimum number of rows of a table between columns, and maximum share of its column that a cell fills. */
const MIN_TABLE_ROWS = 2;
const MAX_FILLED = 0.7;

/** Leaves out a table that lies across the columns. Its cells are drawn row by row, and do not fill the columns. */
function withoutTable(
  rows: readonly Row[],
  from: number,
  to: number,
  middle: number,
): readonly [from: number, to: number] {
  const [left, right] = edgesOf(rows.slice(from, to));
  let start = from;
  for (let at = from; at <= to; at += 1) {
    if (at < to && isTableRow(rows[at], left, middle, right)) continue;
    if (at - start >= MIN_TABLE_ROWS) {
      const table = rows.slice(start, at);
      const own = rowsWith(table, (segment) => segment.left < middle);
      const others = rowsWith(table, (segment) => segment.left >= middle);
      if (!areColumns(own, others)) return start > from ? [from, start] : [at, to];
    }
    start = at + 1;
  }
  return [from, to];
}

function edgesOf(rows: readonly Row[]): readonly [left: number, right: number] {
  let [left, right] = [Infinity, -Infinity];
  for (const { segments } of rows) {
    for (const segment of segments) {
      left = Math.min(left, segment.left);
      right = Math.max(right, segment.right);
    }
  }
  return [left, right];
}

function isTableRow(row: Row | undefined, left: number, middle: number, right: number): boolean {
  const own = row?.segments.filter((segment) => segment.left < middle) ?? [];
  const others = row?.segments.filter((segment) => segment.left >= middle) ?? [];
  const [last, next] = [own.at(-1), others[0]];
  if (row === undefined || last === undefined || next?.order !== last.lastOrder + 1) return false;
  if (Math.abs(last.y - next.y) > SAME_BASELINE * row.size) return false;
  return doNotFill(own, middle - left) && doNotFill(others, right - middle);
}

/** Maximum distance of the baselines of two cells, in font sizes. */
const SAME_BASELINE = 0.12;

function doNotFill(segments: readonly Segment[], width: number): boolean {
  return segments.reduce((sum, { left, right }) => sum + right - left, 0) <= MAX_FILLED * width;
}
