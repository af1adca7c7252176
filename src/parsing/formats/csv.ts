import Papa from 'papaparse';
import { LongTable } from '../markdown-table.js';
import type { Parser } from '../parser.js';
import { countLines, MAX_LINES } from './sheet.js';

/** Of the columns whose names become a property; a line that never ends is no header. */
const MAX_COLUMNS = 500;

/** Rows as Markdown tables under the header, below what stands above it; the delimiter is found out. */
export const parseCsv: Parser = ({ text, contentType }) => {
  const first: string[][] = []; // rows, the header among them
  let lines: string[] = [];
  let header: string[] | undefined;
  let table = new LongTable([]);
  let rowCount = 0;
  let delimiter = '';
  const add = (row: string[]): void => {
    table.add(row);
    rowCount += 1;
  };
  const begin = (): void => {
    const above = countLines(first);
    lines = first.slice(0, above).map((row) => row.join(' ').trim());
    header = first[above];
    table = new LongTable(header ?? []);
    first.slice(above + 1).forEach(add);
  };
  Papa.parse<string[]>(text ?? '', {
    skipEmptyLines: 'greedy',
    ...(contentType === 'text/tab-separated-values' ? { delimiter: '\t' } : {}),
    step({ data, meta }) {
      ({ delimiter } = meta);
      if (header !== undefined) add(data);
      else if (first.push(data) > MAX_LINES) begin();
    },
  });
  if (header === undefined) begin();
  return {
    text: [...lines, table.toString()].join('\n\n'),
    textType: 'text/markdown',
    properties: { columns: header?.slice(0, MAX_COLUMNS), row_count: rowCount, delimiter },
  };
};
