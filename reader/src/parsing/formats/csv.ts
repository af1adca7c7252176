import Papa from 'papaparse';
import { LongTable } from '../markdown-table.js';
import type { Parser } from '../parser.js';
import { escapeStrayQuotes } from './csv-quotes.js';
import { countLines, headed, MAX_LINES } from './sheet.js';

/** Maximum number of names in the property `columns`. Further names are omitted. */
const MAX_COLUMNS = 500;

/** A first line that declares the delimiter for spreadsheet programs. */
const SEPARATOR_LINE = /^"?sep=([^\n"])"?(?:\n|$)/i;

/** Number of leading characters of the text in which the delimiter is detected. */
const HEAD = 65_536;

/**
 * Converts a CSV file to its leading lines, followed by Markdown tables of the rows under the header. Detects the
 * delimiter. Keeps and counts rows with more or fewer fields than the header.
 */
export const parseCsv: Parser = ({ text, contentType }) => {
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(text ?? '') ?? [];
  const content = (text ?? '').slice(separatorLine.length);
  const delimiter = separator ?? (contentType === 'text/tab-separated-values' ? '\t' : delimiterOf(content));
  const first: string[][] = []; // rows, including the header
  let lines: string[] = [];
  let header: readonly string[] | undefined;
  let table = new LongTable([]);
  let rowCount = 0;
  let unevenRows = 0;
  const add = (row: readonly string[]): void => {
    table.add(row);
    rowCount += 1;
    if (row.length !== header?.length) unevenRows += 1;
  };
  const begin = (): void => {
    const above = countLines(first);
    lines = first.slice(0, above).map((row) => row.join(' ').trim());
    const [names, ...rows] = first.slice(above);
    const found = names === undefined ? { header: names, rows } : headed(names, rows);
    ({ header } = found);
    table = new LongTable(header ?? []);
    found.rows.forEach(add);
  };
  Papa.parse<string[]>(escapeStrayQuotes(content, delimiter), {
    delimiter,
    newline: '\n',
    skipEmptyLines: 'greedy',
    step({ data }) {
      if (header !== undefined) add(data);
      else if (first.push(data) > MAX_LINES) begin();
    },
  });
  if (header === undefined) begin();
  return {
    text: [...lines, table.toString()].join('\n\n'),
    textType: 'text/markdown',
    properties: {
      columns: header?.slice(0, MAX_COLUMNS),
      row_count: rowCount,
      uneven_rows: unevenRows === 0 ? undefined : unevenRows,
      delimiter,
    },
  };
};

/** Detects the delimiter. A stray quote in the header hides delimiters, so quotes are then ignored. */
function delimiterOf(text: string): string {
  const head = text.slice(0, HEAD);
  const guess = (sample: string): Papa.ParseResult<string[]> =>
    Papa.parse<string[]>(sample, { preview: 1, newline: '\n', skipEmptyLines: 'greedy' });
  const { errors, meta } = guess(head);
  const isFound = errors.every(({ code }) => code !== 'UndetectableDelimiter');
  return isFound ? meta.delimiter : guess(head.replaceAll('"', '')).meta.delimiter;
}
