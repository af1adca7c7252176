import type { ColumnSpan } from '../archive/merged-cells.js';

export interface SheetTable {
  readonly lines: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Row = readonly string[];

/** Returns the cells of a row that are merged across columns. */
export type SpansOf = (row: Row) => readonly ColumnSpan[];

const noSpans: SpansOf = () => [];

const MAX_HEADER_ROWS = 4;

/** Maximum number of single-cell rows in a heading. A longer run is a table. */
export const MAX_LINES = 10;

const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
/** A number with a sign or currency before it and a unit after it: `5 kg`, `$3`, `1.2E-06`, `2:30 PM`. */
const MEASURE = /^[^\p{L}\p{N}]{0,5}\p{N}[^\p{L}]{0,20}\p{L}{1,4}[^\p{L}]{0,5}$/u;
const YEAR = /^(?:19|20)\d\d$/;

/** Number of leading single-cell rows above wider rows; 0 without wider rows. */
export function countLines(rows: readonly Row[]): number {
  const front = rows.slice(0, MAX_LINES + 1);
  const left = Math.min(...front.map((row) => row.findIndex(isFilled)).filter((column) => column >= 0));
  const isLine = (row: Row): boolean => filled(row).length === 1 && isFilled(row[left] ?? '');
  return Math.max(
    0,
    front.findIndex((row) => !isLine(row)),
  );
}

/**
 * Splits a sheet into tables at blank rows. After a blank row, a row of names above numbers starts a new table; other
 * rows continue the previous table.
 */
export function tablesOf(sheet: readonly Row[], spansOf: SpansOf = noSpans): SheetTable[] {
  const tables: { lines: readonly string[]; header: Row; rows: Row[] }[] = [];
  let lines: Row[] = []; // single-cell rows: lines above the next table, or rows of the last table
  for (const block of blocksOf(sheet)) {
    if (block.length === 1 && block.flatMap(filled).length === 1) {
      lines.push(...block);
      continue;
    }
    const above = countLines(block);
    const [header = [], ...rows] = block.slice(above);
    const table = tables.at(-1);
    if (table === undefined || beginsTable(header, rows)) {
      tables.push({
        lines: [...lines, ...block.slice(0, above)].flatMap(filled),
        ...headed(header, rows, spansOf),
      });
    } else for (const row of [...lines, ...block]) table.rows.push(row);
    lines = [];
  }
  const last = tables.at(-1);
  if (last !== undefined) for (const row of lines) last.rows.push(row);
  else if (lines[0] !== undefined) tables.push({ lines: [], header: lines[0], rows: lines.slice(1) });
  return tables;
}

function blocksOf(sheet: readonly Row[]): Row[][] {
  const blocks: Row[][] = [];
  let block: Row[] = [];
  for (const row of [...sheet, []]) {
    if (filled(row).length > 0) block.push(row);
    else if (block.length > 0) {
      blocks.push(block);
      block = [];
    }
  }
  return blocks;
}

function beginsTable(header: Row, [first = []]: readonly Row[]): boolean {
  return filled(header).length > 1 && !filled(header).some(isFigures) && filled(first).some(isMeasure);
}

/**
 * Merges header rows: `2023` above `Q1` becomes `2023 Q1`. A second header row follows if cells of
 * the first are merged across columns with names of their own. Without merged cells, empty cells after a name stand for them.
 *
 * @param rows rows below the first header row
 */
export function headed(
  first: Row,
  rows: readonly Row[],
  spansOf: SpansOf = noSpans,
): { header: Row; rows: Row[] } {
  const spans = spansOf(first);
  if (spans.length === 0) return headedByGaps(first, rows);
  let header = spread(first, spans);
  let upper = first;
  let count = 0;
  let rest: Row = [];
  while (count < MAX_HEADER_ROWS - 1 && namesColumns(upper, rows[count] ?? [], spansOf(upper))) {
    const lower = rows[count] ?? [];
    const table = tableColumns(upper, lower, spansOf(upper));
    const names = spread(lower, spansOf(lower));
    rest = lower.map((text, column) => (table.has(column) ? '' : text));
    header = widest(header, lower).map((_, column) =>
      table.has(column) ? joined(header[column], names[column]) : (header[column] ?? ''),
    );
    upper = lower;
    count += 1;
    if (filled(rest).length > 0) break;
  }
  // A row may be the second header row of one table and the first row of another table beside it.
  return {
    header: count === 0 ? first : header,
    rows: [...(filled(rest).length > 0 ? [rest] : []), ...rows.slice(count)],
  };
}

/** Whether the row below a header row with merged cells names the columns under them. */
function namesColumns(upper: Row, lower: Row, spans: readonly ColumnSpan[]): boolean {
  const below = (span: ColumnSpan): string[] => filled(lower.slice(span.left, span.right + 1));
  if (!spans.some((span) => below(span).length > 1)) return false;
  const table = [...tableColumns(upper, lower, spans)];
  const isUnder = (column: number): boolean =>
    spans.some(({ left, right }) => column >= left && column <= right);
  const beside = table.filter((column) => !isUnder(column));
  const isMergedDown = (column: number): boolean =>
    isFilled(upper[column] ?? '') && upper[column] === lower[column];
  const isBlank = (row: Row, column: number): boolean => !isFilled(row[column] ?? '');
  return (
    beside.every((column) => isBlank(lower, column) || isBlank(upper, column) || isMergedDown(column)) &&
    (beside.some(isMergedDown) || spans.flatMap(below).every((text) => YEAR.test(text) || !isMeasure(text)))
  );
}

/** The columns without an empty column between them and the merged cells. Other columns belong to a table beside. */
function tableColumns(upper: Row, lower: Row, spans: readonly ColumnSpan[]): ReadonlySet<number> {
  const columns = new Set(spans.flatMap(({ left, right }) => range(left, right)));
  const isUsed = (column: number): boolean => isFilled(upper[column] ?? '') || isFilled(lower[column] ?? '');
  for (const start of [...columns]) {
    for (let column = start - 1; column >= 0 && isUsed(column); column -= 1) columns.add(column);
    for (let column = start + 1; isUsed(column); column += 1) columns.add(column);
  }
  return columns;
}

/** Repeats the text of merged cells in each of their columns. */
function spread(row: Row, spans: readonly ColumnSpan[]): string[] {
  const texts = [...row];
  for (const { left, right } of spans) {
    for (const column of range(left, Math.min(right, texts.length - 1))) texts[column] = texts[left] ?? '';
  }
  return texts;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function widest(one: Row, other: Row): Row {
  return other.length > one.length ? other : one;
}

/** A name that is merged over both rows appears in both. */
function joined(above = '', name = ''): string {
  return name === '' || name === above ? above : `${above} ${name}`.trim();
}

/** Merges two header rows without merged cells. */
function headedByGaps(header: Row, rows: readonly Row[]): { header: Row; rows: Row[] } {
  const [second = [], third = []] = rows;
  const group = (column: number): string => header.slice(0, column + 1).findLast((text) => text !== '') ?? '';
  const isGrouped = second.some(
    (text, column) => text !== '' && header[column] === '' && group(column) !== '',
  );
  const areNames = filled(second).every((text) => YEAR.test(text) || !isFigures(text));
  if (!isGrouped || !areNames || !filled(third).some(isMeasure)) return { header, rows: [...rows] };
  const names = widest(header, second).map((_, column) => {
    const name = second[column] ?? '';
    return name === ''
      ? (header[column] ?? '')
      : joined(name === header[column] ? name : group(column), name);
  });
  return { header: names, rows: rows.slice(1) };
}

function filled(row: Row): string[] {
  return row.filter(isFilled);
}

function isFilled(text: string): boolean {
  return text.trim() !== '';
}

function isFigures(text: string): boolean {
  return DIGIT.test(text) && !LETTER.test(text);
}

function isMeasure(text: string): boolean {
  return isFigures(text) || MEASURE.test(text);
}
