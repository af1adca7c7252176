import Papa from 'papaparse';
import { LongTable } from '../markdown-table.js';
import type { Parser } from '../parser.js';

/** Names of columns that are told; a line that never ends is no header. */
const MAX_COLUMNS = 500;

/** Rows as Markdown tables under the header; the delimiter is found out. */
export const parseCsv: Parser = ({ text, contentType }) => {
  let header: string[] | undefined;
  let table = new LongTable([]);
  let rowCount = 0;
  let delimiter = '';
  Papa.parse<string[]>(text ?? '', {
    skipEmptyLines: 'greedy',
    ...(contentType === 'text/tab-separated-values' ? { delimiter: '\t' } : {}),
    step({ data, meta }) {
      ({ delimiter } = meta);
      if (header === undefined) table = new LongTable((header = data));
      else {
        table.add(data);
        rowCount += 1;
      }
    },
  });
  return {
    text: table.toString(),
    textType: 'text/markdown',
    pages: [],
    pageCount: null,
    properties: { columns: header?.slice(0, MAX_COLUMNS), row_count: rowCount, delimiter },
  };
};
