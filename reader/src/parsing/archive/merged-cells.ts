/** A cell that is merged across columns, 0-based and inclusive. */
export interface ColumnSpan {
  readonly left: number;
  readonly right: number;
}

/** A merged range of cells, 0-based and inclusive. */
export interface MergedRange {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/**
 * Maximum number of characters added by merged cells: the larger of a fixed number and a multiple of the characters of
 * the sheet.
 */
const MIN_ROOM = 1_000_000;
const MAX_GROWTH = 4;

/** Number of characters per cell in addition to its text. */
const SEPARATOR = 3;

/**
 * Repeats the text of merged cells in the first column of every covered row that has other content. Does not repeat
 * cells that are merged across columns only. `rows` may have gaps; the row numbers are ascending.
 */
export function fillMerged(
  rows: readonly string[][],
  rowNumbers: readonly number[],
  ranges: readonly MergedRange[],
): void {
  const own = rows.reduce((sum, row) => row.reduce((all, text) => all + text.length + SEPARATOR, sum), 0);
  let room = Math.max(MIN_ROOM, MAX_GROWTH * own);
  const coveredTo = new Map<number, number>(); // by column; merged ranges do not overlap
  for (const { top, left, bottom } of [...ranges].sort((a, b) => a.top - b.top)) {
    if (bottom <= top || top <= (coveredTo.get(left) ?? -1)) continue;
    coveredTo.set(left, bottom);
    let at = firstAtOrAfter(rowNumbers, top);
    const text = rowNumbers[at] === top ? (rows[at]?.[left] ?? '') : '';
    if (text === '') continue;
    for (at += 1; (rowNumbers[at] ?? Infinity) <= bottom; at += 1) {
      room -= text.length + SEPARATOR;
      if (room < 0) return;
      const row = rows[at];
      if (row !== undefined && row.length > 0) row[left] ??= text;
    }
  }
}

function firstAtOrAfter(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? Infinity) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
