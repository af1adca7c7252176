import { Archive } from '../archive/archive.js';
import { officeProperties } from '../archive/office-open-xml.js';
import { sheetsOf } from '../archive/workbook.js';
import { LongTable } from '../markdown-table.js';
import type { Parser } from '../parser.js';
import { tablesOf, type SheetTable } from './sheet.js';

/** A workbook: a heading and tables for each sheet; formulas by the value that they had when the file was saved. */
export const parseXlsx: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  const properties = await officeProperties(archive);
  const sheets = await sheetsOf(archive);
  return {
    text: sheets
      .map(({ name, rows }) => [`## ${name}`, ...tablesOf(rows).map(written)].join('\n\n'))
      .join('\n\n'),
    textType: 'text/markdown',
    properties: {
      ...properties,
      sheets: sheets.map(({ name, rowCount }) => ({ name, row_count: rowCount })),
    },
  };
};

function written({ lines, header, rows }: SheetTable): string {
  const table = new LongTable(header);
  for (const row of rows) table.add(row);
  return [...lines, table.toString()].join('\n\n');
}
