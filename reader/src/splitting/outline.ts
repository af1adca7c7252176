import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';
import { type Block, blocksOfProse, CODE } from './blocks.js';

/** A heading; offsets are UTF-16 code units. */
export interface Heading extends ContextHeading {
  readonly start: number;
}

/** A table's position and the context of its rows. */
export interface TableHead extends TableContext {
  readonly start: number;
  readonly end: number;
}

export interface Outline {
  /** In text order. */
  readonly headings: readonly Heading[];
  readonly tables: readonly TableHead[];
}

/** Maximum length of a caption or header line. A longer line is running text. */
const MAX_LINE = 160;

const HASHES = /^\s*(#{1,6})\s*(.*?)\s*#*\s*$/s;
/** An underlined line that is not a list item, quotation or table row. */
const UNDERLINED =
  /^ {0,3}(?!(?:[-*+]|\d+[.)])\s|[>|])(\S[^\n]*?)[ \t\r]*\n {0,3}(={3,}|-{3,})[ \t\r]*(?:\n|$)/;
const DELIMITERS = /^[\s:|-]+$/;

/**
 * Returns the headings and tables of a text. Source code has no headings or tables.
 *
 * @param tableAbove header of the table that the text may continue
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
    // A header is truncated later, so it must be complete here.
    const whole = block.kind === 'piped-row' ? text.slice(block.start, block.end) : line;
    tables.add(heading === null ? block : { ...block, kind: 'heading' }, whole.trim());
  }
  return { headings, tables: tables.end() };
}

/** The heading after hash marks, or the underlined line at the start of a block. */
function headingOf({ kind }: Block, line: string): Pick<Heading, 'level' | 'text'> | null {
  if (kind === 'heading') {
    const [, hashes = '', text = ''] = HASHES.exec(line) ?? [];
    return { level: hashes.length, text };
  }
  const [, text, underline = ''] = (kind === 'prose' && UNDERLINED.exec(line)) || [];
  return text === undefined ? null : { level: underline.startsWith('=') ? 1 : 2, text };
}

/** Maximum length of a header in characters. */
const MAX_HEADER = 1_000;

/** Maximum number of lines above a table that can be its header. */
const MAX_HEAD = 4;

/** Finds tables, block by block. */
class TableFinder {
  private readonly tables: TableHead[] = [];
  private open: (TableContext & { start: number; end: number; piped: boolean }) | undefined;
  /** Short lines since the last numeric row or longer text. */
  private above: string[] = [];
  /** Number of rows of the current piped table. */
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

  /**
   * The row before a delimiter row is the header, even if it directly follows another table. A table without a
   * delimiter row has no header.
   */
  private addPiped(block: Block, line: string): void {
    if (block.start === 0 && this.open !== undefined) this.piped = 2;
    if (this.piped === 0) this.close();
    this.piped += 1;
    // In later rows, a cell with a single dash means "no value".
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

  /** A numeric row has a label and numbers. The lines above the first numeric row are the header. */
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

  /** A short line between the rows of a table without cell borders does not end the table. */
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
 * The cells of a header row, including empty ones, so that every cell keeps its column. Returns an empty list if all
 * cells are empty. In a row that is too long for any context, an ellipsis replaces the first cells.
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

/**
 * The header of a numeric table. If the last line above the table has several cells, it names the columns. The other
 * lines are the caption.
 */
function headOf(lines: readonly string[]): TableContext {
  const header = lines.at(-1)?.split(CELLS) ?? [];
  return header.length > 1 ? { caption: lines.slice(0, -1), header } : { caption: lines, header: [] };
}

/** Numbers, possibly several with currencies; a dash means "no value". */
const FIGURES = /^[\s\d.,()%$€£¥+–—-]+$/;

/** Whether a line is a label followed by numbers, and not a line of column names. */
function isFigures(line: string): boolean {
  const [name = '', ...cells] = line.split(/ {2,}/);
  const areFigures = cells.length > 0 && cells.every((cell) => FIGURES.test(cell));
  return /\p{L}{2}/u.test(name) && areFigures && !areYears([name, ...cells]);
}

const YEAR = /^(?:19|20)\d\d$/;

/** Whether cells are years after a row label: `(in millions)  2022  2021`. */
function areYears([name = '', ...cells]: readonly string[]): boolean {
  const years = cells.filter((cell) => YEAR.test(cell));
  return years.length === cells.length && years.length + (YEAR.test(name) ? 1 : 0) > 1;
}

/** Maximum length of a front matter. Longer text between two thematic breaks is not front matter. */
const MAX_LENGTH = 4_000;

/** YAML between `---` and `---` or `...`. */
const YAML = /^---[ \t]*\r?\n((?:.*\r?\n)*?)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
/** TOML between `+++` and `+++`. */
const TOML = /^\+\+\+[ \t]*\r?\n((?:.*\r?\n)*?)\+\+\+[ \t]*(?:\r?\n|$)/;

/** The front matter of a Markdown text with its delimiters; empty if there is no front matter. */
export function frontMatterOf(text: Pick<string, 'slice'>): string {
  return read(text)?.source ?? '';
}

/** The `title` of a front matter, on one line; empty if there is none. */
export function titleOfFrontMatter(text: Pick<string, 'slice'>): string {
  const fields = read(text)?.fields ?? {};
  const [, title] = Object.entries(fields).find(([name]) => name.toLowerCase() === 'title') ?? [];
  return typeof title === 'string' || typeof title === 'number'
    ? String(title).replace(/\s+/g, ' ').trim()
    : '';
}

interface FrontMatter {
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function read(text: Pick<string, 'slice'>): FrontMatter | undefined {
  const head = text.slice(0, MAX_LENGTH);
  // A thematic break is followed by a blank line.
  if (!/^(?:---|\+\+\+)[ \t]*\r?\n(?![ \t]*\r?\n)/.test(head)) return undefined;
  const [ofYaml, yaml = ''] = YAML.exec(head) ?? [];
  const [ofToml, toml = ''] = TOML.exec(head) ?? [];
  const source = ofYaml ?? ofToml;
  if (source === undefined) return undefined;
  const fields = ofYaml === undefined ? fieldsOfToml(toml) : fieldsOfYaml(yaml);
  return fields === undefined ? undefined : { source, fields };
}

/** @returns undefined for a text that is no mapping of names to values */
function fieldsOfYaml(source: string): FrontMatter['fields'] | undefined {
  const document = parseDocument(source, { logLevel: 'silent', strict: false, uniqueKeys: false });
  if (document.errors.length > 0) return fieldsByLine(source);
  const fields: unknown = document.toJS({ maxAliasCount: 20 });
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields)
    ? (fields as FrontMatter['fields'])
    : undefined;
}

const FIELD = /^([\w-]+):[ \t]*(["']?)(.*?)\2[ \t]*$/;

/** Reads the fields of front matter that looks like YAML but is not valid YAML: `title: Guide: part 1`. */
function fieldsByLine(source: string): FrontMatter['fields'] | undefined {
  const lines = source.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const fields = lines.map((line) => FIELD.exec(line)).filter((field) => field !== null);
  const isFirst = FIELD.test(lines[0] ?? '');
  return isFirst ? Object.fromEntries(fields.map(([, name = '', , value = '']) => [name, value])) : undefined;
}

function fieldsOfToml(source: string): FrontMatter['fields'] | undefined {
  try {
    return parseToml(source);
  } catch {
    return undefined; // the text between the lines is no TOML
  }
}

/** A heading of the section that contains a chunk. */
export interface ContextHeading {
  /** Heading level, 1 (outermost) to 6. */
  readonly level: number;
  readonly text: string;
}

export interface TableContext {
  /** Lines above the header. */
  readonly caption: readonly string[];
  /**
   * Header cells, including empty ones. A first cell `…` replaces omitted cells. An empty list means that the header is
   * unknown.
   */
  readonly header: readonly string[];
}

/** Context of a chunk in its document: title, headings and table. */
export interface ChunkContext {
  /** Title of the document; null if the document has no title, or if the chunk contains the title. */
  readonly title: string | null;
  /** Headings of the sections that contain the chunk, outermost first. */
  readonly headings: readonly ContextHeading[];
  /** The table in which the chunk starts; null: the chunk does not start in a table. */
  readonly table: TableContext | null;
}

/** Separator of the cells of a printed header. */
export const CELLS = ' | ';

export const NO_CONTEXT: ChunkContext = { title: null, headings: [], table: null };

/** Prints a context as Markdown for embedding and display, one line per item. Empty for an empty context. */
export function printContext({ title, headings, table }: ChunkContext): string {
  return [
    ...(title === null ? [] : [title]),
    ...headings.map(({ level, text }) => `${'#'.repeat(level)} ${text}`),
    ...(table === null ? [] : tableLines(table).map((line) => `| ${line}`)),
  ]
    .map((line) => line.trim())
    .join('\n');
}

/** Prints caption and header as lines, with pipes between the header cells. */
export function tableLines({ caption, header }: TableContext): string[] {
  return header.length === 0 ? [...caption] : [...caption, header.join(CELLS)];
}

/** Prepends the context to a chunk. The result is embedded, and is part of prompts. */
export function embeddedText(context: ChunkContext, content: string): string {
  const above = printContext(context);
  return above === '' ? content : `${above}\n\n${content}`;
}
