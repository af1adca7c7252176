/** A table cell that may span several columns and rows. */
export interface SpannedCell {
  readonly text: string;
  /** Column and row span, at least 1. */
  readonly columns: number;
  readonly rows: number;
}

export interface SpannedRow {
  readonly cells: readonly SpannedCell[];
  /** Whether the document marks the row as a header. */
  readonly isHeader: boolean;
}

/** A data table: captions and rows, the first of which is the header. */
export interface DataTable {
  readonly captions: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MAX_HEADER_ROWS = 4;

/** Expands spanning cells. Returns undefined if no row has two cells. */
export function dataTable(rows: readonly SpannedRow[]): DataTable | undefined {
  // Single-cell rows above the other rows are captions.
  const first = rows.findIndex(({ cells }) => cells.length > 1);
  if (first === -1) return undefined;
  const body = rows.slice(first);
  const spanned = body.map(({ cells }) => cells);
  const headerRows = headerRowsOf(body, spanned);
  const grid = gridOf(spanned, headerRows);
  const captions = rows.slice(0, first).flatMap(({ cells }) => cells.map(({ text }) => text));
  return {
    captions: captions.filter((caption) => caption !== ''),
    rows: [joinedHeader(grid.slice(0, headerRows)), ...grid.slice(headerRows)],
  };
}

/** Number of header rows: the marked rows, or else the first row and the rows that its spanning cells cover. */
function headerRowsOf(
  rows: readonly SpannedRow[],
  [first = [], second = []]: readonly (readonly SpannedCell[])[],
): number {
  const marked = rows.findIndex(({ isHeader }) => !isHeader);
  const most = Math.max(1, Math.min(MAX_HEADER_ROWS, rows.length - 1));
  if (marked > 1) return Math.min(marked, most);
  if (first.every(({ columns }) => columns === 1)) return 1;
  const height = first.reduce((highest, cell) => Math.max(highest, cell.rows), 1);
  const goesOn = marked === 0 && second.every(({ text }) => !/\d/.test(text));
  return Math.min(height === 1 && goesOn ? 2 : height, most);
}

/** Maximum growth by spanning cells, as a multiple of the table's text. */
const MAX_GROWTH = 4;

/** Number of characters per cell in addition to its text. */
const SEPARATOR = 3;

/**
 * Returns the rows of a table with one text per column (the table model of HTML). A cell that spans rows is repeated in
 * each of these rows. A cell that spans columns is repeated in the first `headerRows` rows; in later rows, only its
 * first column has the text.
 */
function gridOf(rows: readonly (readonly SpannedCell[])[], headerRows: number): string[][] {
  const grid: string[][] = rows.map(() => []);
  let room = MAX_GROWTH * rows.flat().reduce((sum, { text }) => sum + text.length + SEPARATOR, 0);
  rows.forEach((cells, top) => {
    let left = 0;
    for (const cell of cells) {
      while (grid[top]?.[left] !== undefined) left += 1;
      const height = room > 0 ? cell.rows : 1;
      for (const [index, row] of grid.slice(top, top + height).entries()) {
        for (let column = 0; column < cell.columns && (room > 0 || index + column === 0); column += 1) {
          const text = column === 0 || top < headerRows ? cell.text : '';
          const place = left + column;
          // Also counts the empty cells that this cell creates before it in a short row.
          if (index + column > 0) room -= text.length + SEPARATOR * Math.max(1, place + 1 - row.length);
          row[place] = text;
        }
      }
    }
  });
  return grid.map((row) => Array.from(row, (text: string | undefined) => text ?? ''));
}

/** Merges header rows: `Hours` above `Weekday` becomes `Hours Weekday`. */
function joinedHeader(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: width }, (_, column) =>
    [...new Set(rows.map((row) => row[column] ?? '').filter((text) => text !== ''))].join(' '),
  );
}
