import { SAME_LINE, type Segment } from './segments.js';

/** Segments on one baseline, from left to right. */
export interface Row {
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly size: number;
}

/** Gap between cells, in font sizes. */
export const CELL_GAP = 1.5;

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

export function rowOf(segments: readonly Segment[]): Row {
  const largest = segments.reduce((a, b) => (b.size > a.size ? b : a));
  return {
    segments: [...segments].sort((a, b) => a.left - b.left),
    y: largest.y,
    size: largest.size,
  };
}

/** Rows without the segments that do not match. Rows that become empty are left out. */
export function rowsWith(rows: readonly Row[], matches: (segment: Segment) => boolean): Row[] {
  return rows.flatMap(({ segments }) => {
    const own = segments.filter(matches);
    return own.length === 0 ? [] : [rowOf(own)];
  });
}

/** Joins the segments of a row to cells, which are separated by wide gaps. */
export function cellsOf({ segments }: Row): Segment[] {
  const cells: Segment[] = [];
  for (const segment of segments) {
    const last = cells.at(-1);
    if (last === undefined || segment.left - last.right > CELL_GAP * Math.max(segment.size, last.size)) {
      cells.push(segment);
      continue;
    }
    cells[cells.length - 1] = {
      ...last,
      text: `${last.text} ${segment.text}`,
      right: Math.max(last.right, segment.right),
      order: Math.min(last.order, segment.order),
    };
  }
  return cells;
}
