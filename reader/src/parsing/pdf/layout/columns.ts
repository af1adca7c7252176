import { isProse } from './prose.js';
import { cellsOf, medianOf, type Row } from './rows.js';
import { SAME_LINE } from './segments.js';

/** Maximum deviation of the baselines of aligned rows, in font sizes. */
const ALIGNED = 0.12;

/** Minimum number of rows of columns that are not prose. */
const MIN_ROWS = 3;

/** Maximum number of changes between two columns that were drawn one after the other. */
const MAX_CHANGES = 2;

/** Whether two sides of a gutter are read one after the other. Otherwise, they are cells of a table. */
export function areColumns(left: readonly Row[], right: readonly Row[]): boolean {
  if (left.length === 0 || right.length === 0) return false;
  if (isProse(left) && isProse(right)) return true;
  if (changesBetween(left, right) > MAX_CHANGES) return false;
  if (isProseWithTables(left) && isProseWithTables(right)) return true;
  const fewer = Math.min(left.length, right.length);
  return fewer >= MIN_ROWS && alignedRows(left, right) < fewer / 2;
}

function isProseWithTables(rows: readonly Row[]): boolean {
  const lines = rows.filter((row) => cellsOf(row).length === 1);
  return lines.length >= MIN_ROWS && isProse(lines);
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
