import { CELLS, type ContextHeading, type TableContext } from '../lexical/chunk-context.js';
import { CODE } from './atoms.js';
import { type Block, blocksOfProse } from './blocks.js';

/** A heading of a text; offsets are UTF-16 code units. */
export interface Heading extends ContextHeading {
  readonly start: number;
}

/** Where rows of a table stand, and what they need to be understood. */
export interface TableHead extends TableContext {
  /** Of what stands below the header. */
  readonly start: number;
  /** Of the table. */
  readonly end: number;
}

export interface Outline {
  /** In the order of the text. */
  readonly headings: readonly Heading[];
  readonly tables: readonly TableHead[];
}

/** A longer line is running text, neither caption nor header. */
const MAX_LINE = 160;

const HASHES = /^\s*(#{1,6})\s*(.*?)\s*#*\s*$/s;
/** A line of its own that is underlined; no list item, quotation or row of a table. */
const UNDERLINED =
  /^ {0,3}(?!(?:[-*+]|\d+[.)])\s|[>|])(\S[^\n]*?)[ \t\r]*\n {0,3}(={3,}|-{3,})[ \t\r]*(?:\n|$)/;
const DELIMITERS = /^[\s:|-]+$/;

/**
 * Headings and tables of a text; source code has none.
 * @param tableAbove head of the table whose rows the text may begin with
 */
export function outlineOf(
  text: string,
  contentType = 'text/plain',
  tableAbove: TableContext | null = null,
): Outline {
  const headings: Heading[] = [];
  if (CODE.test(contentType)) return { headings, tables: [] };
  const tables = new TableFinder(tableAbove);
  const { length: start } = frontMatterOf(text);
  for (const block of blocksOfProse(text, start, text.length, tableAbove !== null)) {
    const line = text.slice(block.start, Math.min(block.end, block.start + 2 * MAX_LINE));
    const heading = headingOf(block, line);
    if (heading !== null && heading.text !== '') headings.push({ start: block.start, ...heading });
    // A header is needed to its end, from which it is cut.
    const whole = block.kind === 'piped-row' ? text.slice(block.start, block.end) : line;
    tables.add(heading === null ? block : { ...block, kind: 'heading' }, whole.trim());
  }
  return { headings, tables: tables.end() };
}

/** Of a line after hash marks, or of the underlined line that a block begins with. */
function headingOf({ kind }: Block, line: string): Pick<Heading, 'level' | 'text'> | null {
  if (kind === 'heading') {
    const [, hashes = '', text = ''] = HASHES.exec(line) ?? [];
    return { level: hashes.length, text };
  }
  const [, text, underline = ''] = (kind === 'prose' && UNDERLINED.exec(line)) || [];
  return text === undefined ? null : { level: underline.startsWith('=') ? 1 : 2, text };
}

/** Characters of a header. */
const MAX_HEADER = 1_000;

/** Lines above the rows of a table that may say what its columns are. */
const MAX_HEAD = 4;

/** Finds tables block by block. */
class TableFinder {
  private readonly tables: TableHead[] = [];
  private open: (TableContext & { start: number; end: number; piped: boolean }) | undefined;
  /** Short lines since the last row of figures or longer text. */
  private above: string[] = [];
  /** Rows of a piped table that have come so far. */
  private piped = 0;
  private lastRow: { start: number; line: string } = { start: 0, line: '' };

  constructor(tableAbove: TableContext | null) {
    if (tableAbove !== null) this.open = { ...tableAbove, start: 0, end: 0, piped: true };
  }

  add(block: Block, line: string): void {
    if (block.kind === 'piped-row') this.addPiped(block, line);
    else if (block.kind === 'spaced-row') this.addSpaced(block, line);
    else this.addOther(block, line);
  }

  end(): readonly TableHead[] {
    this.close();
    return this.tables;
  }

  /** The row before a row of dashes is a header, also where another table follows at once; without dashes there is none. */
  private addPiped(block: Block, line: string): void {
    if (block.start === 0 && this.open !== undefined) this.piped = 2;
    if (this.piped === 0) this.close();
    this.piped += 1;
    // Further down, a single dash in a cell stands for none.
    const isDelimiter =
      this.piped > 1 && DELIMITERS.test(line) && line.includes(this.piped === 2 ? '-' : '--');
    if (this.piped === 2 || isDelimiter) {
      if (this.open !== undefined) this.open.end = this.lastRow.start;
      const caption = this.piped === 2 ? this.above.slice(-1) : [];
      const header = isDelimiter ? cellsOf(this.lastRow.line) : [];
      this.closeOpen();
      this.open = { start: block.start, end: block.end, caption, header, piped: true };
    } else if (this.open !== undefined) this.open.end = block.end;
    this.lastRow = { start: block.start, line };
  }

  /** Rows of figures with a name in front; what stands above the first of them is the header. */
  private addSpaced(block: Block, line: string): void {
    if (this.piped > 0) this.close();
    if (!isFigures(line)) {
      this.close();
      this.above.push(line.replace(/ {2,}/g, CELLS).replace(/\s+/g, ' '));
    } else if (this.open === undefined) {
      this.open = {
        ...headOf(this.above.slice(-MAX_HEAD)),
        start: block.start,
        end: block.end,
        piped: false,
      };
      this.above = [];
    } else {
      this.open.end = block.end;
      this.above = [];
    }
  }

  /** A short line may stand between the rows of a table that has no lines around its cells. */
  private addOther(block: Block, line: string): void {
    if (this.open?.piped === true || this.piped > 0) this.close();
    const isShort = block.end - block.start <= MAX_LINE && block.kind === 'prose' && !line.endsWith('.');
    if (isShort) {
      this.above.push(line.replace(/\s+/g, ' '));
      return;
    }
    this.close();
    this.above = [];
  }

  private close(): void {
    this.closeOpen();
    if (this.piped > 0) this.above = [];
    this.piped = 0;
  }

  private closeOpen(): void {
    const { open } = this;
    if (open !== undefined && open.caption.length + open.header.length > 0 && open.end > open.start)
      this.tables.push(open);
    this.open = undefined;
  }
}

/**
 * The cells of a header, empty ones too: its columns are counted. Nothing where all are empty; an ellipsis stands for
 * those of which there is no room in any context.
 */
function cellsOf(row: string): string[] {
  const end = row.slice(-MAX_HEADER);
  const shown = end.length === row.length ? row : `…${end.replace(/^.*?(?=(?<!\\)\||$)/, '')}`;
  const cells = shown
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replace(/\s+/g, ' ').trim());
  return cells.some((cell) => cell !== '') ? cells : [];
}

/** Lines above figures: where the last of them has several cells, they name the columns. */
function headOf(lines: readonly string[]): TableContext {
  const header = lines.at(-1)?.split(CELLS) ?? [];
  return header.length > 1 ? { caption: lines.slice(0, -1), header } : { caption: lines, header: [] };
}

/** A number, or several with their currencies in one cell; a dash stands for none. */
const FIGURES = /^[\s\d.,()%$€£¥+–—-]+$/;

/** Whether a line has a name and then figures, rather than names of columns. */
function isFigures(line: string): boolean {
  const [name = '', ...cells] = line.split(/ {2,}/);
  const areFigures = cells.length > 0 && cells.every((cell) => FIGURES.test(cell));
  return /\p{L}{2}/u.test(name) && areFigures && !areYears([name, ...cells]);
}

const YEAR = /^(?:19|20)\d\d$/;

/** Whether cells are years, behind what their rows are called: `(in millions)  2022  2021`. */
function areYears([name = '', ...cells]: readonly string[]): boolean {
  const years = cells.filter((cell) => YEAR.test(cell));
  return years.length === cells.length && years.length + (YEAR.test(name) ? 1 : 0) > 1;
}

/** Longer ones are not looked for: a text may begin with a line of dashes and have another at its end. */
const MAX_FRONT_MATTER = 4_000;

const FRONT_MATTER = /^---[ \t]*\r?\n(?=[\w-]+:)(?:.*\r?\n)*?---[ \t]*(?:\r?\n|$)/;
const TITLE = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/im;

/** What a Markdown text says of itself between lines of dashes, which are a part of it; empty when it says nothing. */
export function frontMatterOf(text: Pick<string, 'slice'>): string {
  return FRONT_MATTER.exec(text.slice(0, MAX_FRONT_MATTER))?.[0] ?? '';
}

/** The `title:` of a front matter. */
export function titleOfFrontMatter(frontMatter: string): string {
  return TITLE.exec(frontMatter)?.[2] ?? '';
}
