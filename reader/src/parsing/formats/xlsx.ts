import { Archive } from '../archive/archive.js';
import { officeProperties } from '../archive/office-open-xml.js';
import { sheetsOf } from '../archive/workbook.js';
import { LongTable } from '../markdown-table.js';
import type { Parser } from '../parser.js';
import { tablesOf, type SheetTable } from './sheet.js';

/**
 * A workbook. Each sheet has a heading, tables, text boxes and comments. Hidden sheets are marked in their heading.
 * Hidden rows and columns are kept and counted.
 */
export const parseXlsx: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  const properties = await officeProperties(archive);
  const sheets = await sheetsOf(archive);
  return {
    text: sheets
      .map(({ name, isHidden, rows, spans, annotations }) => {
        const spansOfRow = new Map(Array.from(spans, ([index, found]) => [rows[index], found]));
        const tables = tablesOf(rows, (row) => spansOfRow.get(row) ?? []);
        return [`## ${name}${isHidden ? ' (hidden)' : ''}`, ...tables.map(written), ...annotations].join(
          '\n\n',
        );
      })
      .join('\n\n'),
    textType: 'text/markdown',
    properties: {
      ...properties,
      sheets: sheets.map(({ name, isHidden, rowCount, hiddenRows, hiddenColumns }) => ({
        name,
        row_count: rowCount,
        ...(isHidden ? { hidden: true } : {}),
        ...(hiddenRows > 0 ? { hidden_rows: hiddenRows } : {}),
        ...(hiddenColumns > 0 ? { hidden_columns: hiddenColumns } : {}),
      })),
    },
  };
};

function written({ lines, header, rows }: SheetTable): string {
  const table = new LongTable(header);
  for (const row of rows) table.add(row);
  return [...lines, table.toString()].join('\n\n');
}
