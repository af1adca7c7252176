import { dataTable, type DataTable, type SpannedCell } from '../table/table-grid.js';
import { attribute, elementsOf, type HtmlElement, isElement } from './html-tree.js';
import { lineOf } from './inline-text.js';

const SECTIONS = /^t(?:head|body|foot)$/;
const CELLS = /^t[dh]$/;

export function dataTableOf(table: HtmlElement): DataTable | undefined {
  const rows = childrenOf(table, SECTIONS).flatMap((section) => childrenOf(section, /^tr$/));
  const cells = rows.map((row) => childrenOf(row, CELLS));
  if (isLayout(table, cells)) return undefined;
  const found = dataTable(
    cells.map((row) => ({
      cells: row.map(spannedCell),
      isHeader: row.every(({ tagName }) => tagName === 'th'),
    })),
  );
  if (found === undefined) return undefined;
  const own = childrenOf(table, /^caption$/).map(lineOf);
  return { ...found, captions: [...own.filter((caption) => caption !== ''), ...found.captions] };
}

function childrenOf(parent: HtmlElement, names: RegExp): HtmlElement[] {
  return parent.childNodes.filter(isElement).filter(({ tagName }) => names.test(tagName));
}

/**
 * Whether a table is used for layout. A layout table has a cell with a heading or preformatted text. A table without
 * a header row is also a layout table if a cell contains a table, or if a cell contains a list and the table has fewer
 * than three rows or rows with different numbers of cells.
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
