/** A cell as it is marked up. */
export interface SpannedCell {
  readonly text: string;
  /** Columns and rows that it covers, at least 1. */
  readonly columns: number;
  readonly rows: number;
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
export function gridOf(rows: readonly (readonly SpannedCell[])[], headerRows: number): string[][] {
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
export function joinedHeader(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: width }, (_, column) =>
    [...new Set(rows.map((row) => row[column] ?? '').filter((text) => text !== ''))].join(' '),
  );
}
