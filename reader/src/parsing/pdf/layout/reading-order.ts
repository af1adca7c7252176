import { bandBeside, partsOf } from './bands.js';
import { areColumns } from './columns.js';
import { guttersOf } from './gutters.js';
import { rowsOf, rowsWith, sizeOf, type Row } from './rows.js';
import type { Segment } from './segments.js';
import { tableRows } from './table-rows.js';

/** Maximum number of cuts of a page. */
const MAX_CUTS = 100;

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
    const size = sizeOf(rows);
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
