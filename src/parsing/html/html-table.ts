import { attribute, elementsOf, type HtmlElement, isElement } from './html-tree.js';
import { lineOf } from './inline-text.js';

/** A table of data: what it is called, and its rows, the first of which names the columns. */
export interface DataTable {
  readonly captions: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows that name columns together. */
const MAX_HEADER_ROWS = 4;

const SECTIONS = /^t(?:head|body|foot)$/;
const CELLS = /^t[dh]$/;

export function dataTableOf(table: HtmlElement): DataTable | undefined {
  const rows = childrenOf(table, SECTIONS).flatMap((section) => childrenOf(section, /^tr$/));
  const cells = rows.map((row) => childrenOf(row, CELLS));
  if (isLayout(table, cells) || cells.every(({ length }) => length < 2)) return undefined;
  // A row of one cell above the others says what the table is.
  const first = cells.findIndex(({ length }) => length > 1);
  const captions = [...childrenOf(table, /^caption$/), ...cells.slice(0, first).flat()].map(lineOf);
  const spanned = cells.slice(first).map((row) => row.map(spannedCell));
  const headerRows = headerRowsOf(cells.slice(first), spanned);
  const grid = gridOf(spanned, headerRows);
  return {
    captions: captions.filter((caption) => caption !== ''),
    rows: [joinedHeader(grid.slice(0, headerRows)), ...grid.slice(headerRows)],
  };
}

function childrenOf(parent: HtmlElement, names: RegExp): HtmlElement[] {
  return parent.childNodes.filter(isElement).filter(({ tagName }) => names.test(tagName));
}

/**
 * Cells of data hold no headings, verbatim text or further tables; lists only where the columns have names or the rows
 * are alike.
 */
function isLayout(table: HtmlElement, [first = [], ...others]: readonly HtmlElement[][]): boolean {
  const inside = new Set(Array.from(elementsOf(table), ({ tagName }) => tagName));
  if (['pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'].some((name) => inside.has(name))) return true;
  const hasNames = first.length > 1 && first.every(({ tagName }) => tagName === 'th');
  if (hasNames) return false;
  const areAlike = others.length > 1 && others.every(({ length }) => length === first.length);
  return inside.has('table') || ((inside.has('ul') || inside.has('ol')) && !areAlike);
}

function spannedCell(cell: HtmlElement): SpannedCell {
  return { text: lineOf(cell), columns: spanOf(cell, 'colspan'), rows: spanOf(cell, 'rowspan') };
}

function spanOf(cell: HtmlElement, name: 'colspan' | 'rowspan'): number {
  return Math.max(1, Number.parseInt(attribute(cell, name) ?? '1', 10) || 1);
}

/** Rows of `th` alone; without them the first, with those that its cells over several columns stand above. */
function headerRowsOf(
  cells: readonly (readonly HtmlElement[])[],
  [first = [], second = []]: readonly (readonly SpannedCell[])[],
): number {
  const marked = cells.findIndex((row) => row.some(({ tagName }) => tagName !== 'th'));
  const most = Math.max(1, Math.min(MAX_HEADER_ROWS, cells.length - 1));
  if (marked > 1) return Math.min(marked, most);
  if (first.every(({ columns }) => columns === 1)) return 1;
  const height = first.reduce((highest, { rows }) => Math.max(highest, rows), 1);
  const goesOn = marked === 0 && second.every(({ text }) => !/\d/.test(text));
  return Math.min(height === 1 && goesOn ? 2 : height, most);
}

interface SpannedCell {
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
