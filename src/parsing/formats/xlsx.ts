import readXlsxFile from 'read-excel-file/node';
import { Archive } from '../archive/archive.js';
import { LongTable } from '../markdown-table.js';
import { withoutGaps } from '../archive/sheet-gaps.js';
import { officeProperties } from '../archive/office-open-xml.js';
import type { Parser } from '../parser.js';
import { tablesOf, type SheetTable } from './sheet.js';

/** A workbook: a heading and tables for each sheet; formulas by the value that they had when the file was saved. */
export const parseXlsx: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  await archive.verify();
  const properties = await officeProperties(archive);
  const workbook = await withoutGaps(archive, bytes);
  const sheets = await readXlsxFile(Buffer.from(workbook.buffer, workbook.byteOffset, workbook.byteLength));
  const texts = sheets.map(({ sheet, data }) => {
    const tables = tablesOf(data.map((row) => row.map(printed)));
    return [`## ${sheet}`, ...tables.map(written)].join('\n\n');
  });
  return {
    text: texts.join('\n\n'),
    textType: 'text/markdown',
    pages: [],
    pageCount: null,
    properties: {
      ...properties,
      sheets: sheets.map(({ sheet, data }) => ({ name: sheet, row_count: data.length })),
    },
  };
};

function written({ lines, header, rows }: SheetTable): string {
  const table = new LongTable(header);
  for (const row of rows) table.add(row);
  return [...lines, table.toString()].join('\n\n');
}

/** Dates in ISO 8601, without the time when there is none. */
function printed(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
