import readXlsxFile from 'read-excel-file/node';
import { Archive } from '../archive/archive.js';
import { LongTable } from '../markdown-table.js';
import { withoutGaps } from '../archive/sheet-gaps.js';
import { officeProperties } from '../archive/office-open-xml.js';
import type { Parser } from '../parser.js';

/** A workbook: a heading and tables for each sheet; formulas by the value that they had when the file was saved. */
export const parseXlsx: Parser = async ({ bytes }) => {
  const archive = await Archive.open(bytes);
  await archive.verify();
  const properties = await officeProperties(archive);
  const workbook = await withoutGaps(archive, bytes);
  const sheets = await readXlsxFile(Buffer.from(workbook.buffer, workbook.byteOffset, workbook.byteLength));
  const texts = sheets.map(({ sheet, data }) => {
    const rows = data.map((row) => row.map(printed)).filter((row) => row.some((value) => value !== ''));
    const [header, ...body] = rows;
    if (header === undefined) return `## ${sheet}`;
    const table = new LongTable(header);
    for (const row of body) table.add(row);
    return `## ${sheet}\n\n${table.toString()}`;
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

/** Dates in ISO 8601, without the time when there is none. */
function printed(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
