/** Characters of rows after which the header of a long table is repeated, unless it is long itself. */
const UNDER_ONE_HEADER = 600;
const MAX_REPEATED_HEADER = 300;

/** Rows of tables up to this wide are filled up with empty cells; readers take missing cells for empty ones. */
const MAX_FILLED_WIDTH = 50;

/**
 * A Markdown table of rows of cells; the first row is its header. Rows are filled up to the same width; pipes and line
 * ends in cells are escaped.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  return tableOf(rows.map((row) => row.map(cell)));
}

/**
 * A long table, row by row, written as several tables under the same header, so that whatever part of it is retrieved
 * says what its columns are. They stand apart by a blank line.
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
