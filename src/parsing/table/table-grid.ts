/** A cell of a table whose cells may cover several places. */
export interface SpannedCell {
  readonly text: string;
  /** Columns and rows that it covers, at least 1. */
  readonly columns: number;
  readonly rows: number;
}

export interface SpannedRow {
  readonly cells: readonly SpannedCell[];
  /** Whether the document marks the row as one that names the columns. */
  readonly isHeader: boolean;
}

/** A table of data: what it is called, and its rows, the first of which names the columns. */
export interface DataTable {
  readonly captions: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows that name columns together. */
const MAX_HEADER_ROWS = 4;

/** A table with its cells repeated in the places that they cover; undefined when no row has two cells. */
export function dataTable(rows: readonly SpannedRow[]): DataTable | undefined {
  // A row of one cell above the others says what the table is.
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

/** Rows marked as headers; without them the first, with those that its cells over several columns stand above. */
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

/** What cells that cover several places add to a table is at most so many times what stands in it. */
const MAX_GROWTH = 4;

/** Characters that a cell costs beside its text. */
const SEPARATOR = 3;

/**
 * Rows of a table with each cell in the columns that it covers (as the HTML standard forms a table). A cell over
 * several rows stands in each of them; one over several columns in each of them in the first `headerRows`, which name
 * the columns, and in the first column alone below.
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
          // Empty places before it count too: a row may be short.
          if (index + column > 0) room -= text.length + SEPARATOR * Math.max(1, place + 1 - row.length);
          row[place] = text;
        }
      }
    }
  });
  return grid.map((row) => Array.from(row, (text: string | undefined) => text ?? ''));
}

/** One row that names the columns as several do together: `Hours` above `Weekday` is `Hours Weekday`. */
function joinedHeader(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: width }, (_, column) =>
    [...new Set(rows.map((row) => row[column] ?? '').filter((text) => text !== ''))].join(' '),
  );
}
