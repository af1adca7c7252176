export interface SheetTable {
  /** Lines above the table. */
  readonly lines: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Row = readonly string[];

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
export function tablesOf(sheet: readonly Row[]): SheetTable[] {
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
      tables.push({ lines: [...lines, ...block.slice(0, above)].flatMap(filled), ...headed(header, rows) });
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

/** Merges two header rows if cells of the first header row span columns. */
function headed(header: Row, rows: Row[]): { header: Row; rows: Row[] } {
  const [second = [], third = []] = rows;
  const group = (column: number): string => header.slice(0, column + 1).findLast((text) => text !== '') ?? '';
  const isGrouped = second.some(
    (text, column) => text !== '' && header[column] === '' && group(column) !== '',
  );
  const areNames = filled(second).every((text) => YEAR.test(text) || !isFigures(text));
  if (!isGrouped || !areNames || !filled(third).some(isMeasure)) return { header, rows };
  const joined = Array.from({ length: Math.max(header.length, second.length) }, (_, column) => {
    const name = second[column] ?? '';
    // A name merged over both rows appears in both.
    return name === '' || name === header[column]
      ? (header[column] ?? '')
      : `${group(column)} ${name}`.trim();
  });
  return { header: joined, rows: rows.slice(1) };
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
