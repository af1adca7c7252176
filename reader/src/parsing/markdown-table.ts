/**
 * The header of a long table is repeated after this number of characters of rows. A header longer than
 * `MAX_REPEATED_HEADER` is not repeated.
 */
const UNDER_ONE_HEADER = 600;
const MAX_REPEATED_HEADER = 300;

/** Maximum width of a table whose rows are padded with empty cells. Wider tables may have short rows. */
const MAX_FILLED_WIDTH = 50;

/**
 * Formats rows as a Markdown table whose first row is the header. Rows are padded to one width; pipes and line ends in
 * cells are escaped.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  return tableOf(rows.map((row) => row.map(cell)));
}

/**
 * Writes a long table row by row, as several tables with the same header, separated by blank lines, so that every
 * retrieved part has its column names.
 */
export class LongTable {
  private readonly header: readonly string[];
  private readonly repeats: boolean;
  private readonly tables: string[] = [];
  private part: (readonly string[])[] = [];
  private characters = 0;

  constructor(header: readonly string[]) {
    this.header = header.map(cell);
    this.repeats = lengthOf(this.header) <= MAX_REPEATED_HEADER;
  }

  add(row: readonly string[]): void {
    const cells = row.map(cell);
    const length = lengthOf(cells);
    if (this.repeats && this.part.length > 0 && this.characters + length > UNDER_ONE_HEADER) this.endPart();
    this.part.push(cells);
    this.characters += length;
  }

  toString(): string {
    if (this.part.length > 0 || this.tables.length === 0) this.endPart();
    return this.tables.join('\n\n');
  }

  private endPart(): void {
    this.tables.push(tableOf([this.header, ...this.part]));
    this.part = [];
    this.characters = 0;
  }
}

function lengthOf(cells: readonly string[]): number {
  return cells.reduce((sum, text) => sum + text.length + 3, 2);
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return '';
  const filled = width <= MAX_FILLED_WIDTH ? width : 0;
  const lines = rows.map((row) => {
    const missing = Math.max(0, filled - row.length);
    return `| ${[...row, ...Array.from({ length: missing }, () => '')].join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' --- |'.repeat(Math.max(filled, rows[0]?.length ?? 0))}`);
  return lines.join('\n');
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}
