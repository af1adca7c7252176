import { markdownTable } from './markdown-table.js';
import { dataTable, type DataTable, type SpannedCell, type SpannedRow } from './table/table-grid.js';

/** A piece of a text document that begins a line of its own. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** `level` counts from 1. */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** An item of a list. `marker` is one of Markdown: `-`, `1.` or `1)`. `level` counts from 0. */
  | { readonly kind: 'item'; readonly level: number; readonly marker: string; readonly text: string }
  /** `line` holds the texts of its cells, for a table inside a cell of another one. */
  | { readonly kind: 'table'; readonly text: string; readonly line: string };

const MARKDOWN_NUMBER = /^\d{1,9}[.)]$/;
export const BULLET = '-';

/** White space at the places where a line breaks counts; all other white space is one space. */
export function collapsed(text: string): string {
  return text
    .replaceAll('\u00ad', '')
    .replace(/[ \t\r\f]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

/**
 * A numbered paragraph. Markdown has no words for numbers like `2.2` and `(a)`: they are text at the head of a paragraph.
 * @param gap what separates the number from the text: a space, or nothing
 */
export function numberedBlock(number: string, gap: string, level: number, text: string): Block {
  if (number === BULLET || MARKDOWN_NUMBER.test(number)) return { kind: 'item', level, marker: number, text };
  return { kind: 'paragraph', text: numberedText(number, gap, text) };
}

const ENDS_IN_WORD = /[\p{N}\p{Script=Latin}]$/u;
const BEGINS_WITH_WORD = /^[\p{N}\p{Script=Latin}]/u;

/** A number with its text; digits never run together, whatever the document says of the gap. */
export function numberedText(number: string, gap: string, text: string): string {
  const needsSpace = gap !== '' || (ENDS_IN_WORD.test(number) && BEGINS_WITH_WORD.test(text));
  return `${number}${needsSpace ? ' ' : ''}${text}`.trim();
}

/** Blocks on one line, as a cell of a table holds them. */
export function lineOfBlocks(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'table') return block.line;
      return block.kind === 'item' && block.marker !== BULLET ? `${block.marker} ${block.text}` : block.text;
    })
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Rows of cells, the header first. */
export function tableBlock(rows: readonly (readonly string[])[]): Block {
  return { kind: 'table', text: markdownTable(rows), line: rows.flat().join(' ') };
}

/** A table of data with its captions above it. */
function tableBlocks({ captions, rows }: DataTable): Block[] {
  return [...captions.map((text): Block => ({ kind: 'paragraph', text })), tableBlock(rows)];
}

/** A cell of a table of a text document. */
export interface BlockCell extends Omit<SpannedCell, 'text'> {
  readonly blocks: readonly Block[];
}

export interface BlockRow extends Omit<SpannedRow, 'cells'> {
  readonly cells: readonly BlockCell[];
}

/** A table of data as such; one that lays out a page as its content, cell after cell. */
export function blocksOfTable(rows: readonly BlockRow[]): Block[] {
  const table = isLayout(rows)
    ? undefined
    : dataTable(
        rows.map(({ cells, isHeader }) => ({
          cells: cells.map(({ blocks, ...span }) => ({ ...span, text: lineOfBlocks(blocks) })),
          isHeader,
        })),
      );
  return table === undefined
    ? rows.flatMap(({ cells }) => cells.flatMap(({ blocks }) => blocks))
    : tableBlocks(table);
}

/** Cells of data hold no headings; further tables and lists only where the columns have names or the rows are alike. */
function isLayout(rows: readonly BlockRow[]): boolean {
  const kinds = new Set(
    rows.flatMap(({ cells }) => cells.flatMap(({ blocks }) => blocks.map(({ kind }) => kind))),
  );
  if (kinds.has('heading')) return true;
  const [first, ...others] = rows;
  if (first === undefined || (first.isHeader && first.cells.length > 1)) return false;
  const areAlike = others.length > 1 && others.every(({ cells }) => cells.length === first.cells.length);
  return kinds.has('table') || (kinds.has('item') && !areAlike);
}

export function markdownOfBlocks(blocks: Iterable<Block>): string {
  const writer = new BlockWriter();
  for (const block of blocks) writer.add(block);
  return writer.toString();
}

/** Joins blocks into Markdown: a blank line between blocks, a line end between items of a list. */
export class BlockWriter {
  private readonly parts: string[] = [];
  /** The items that the next item may lie inside. */
  private items: { readonly level: number; readonly indent: string }[] = [];

  add(block: Block): void {
    if (block.kind === 'item') this.addItem(block);
    else if (block.text !== '') {
      this.items = [];
      this.push('\n\n', block.kind === 'heading' ? headingOf(block) : block.text);
    }
  }

  toString(): string {
    return this.parts.join('');
  }

  private addItem({ level, marker, text }: Extract<Block, { kind: 'item' }>): void {
    if (text === '' && marker === BULLET) return;
    const separator = this.items.length > 0 ? '\n' : '\n\n';
    while ((this.items.at(-1)?.level ?? -1) >= level) this.items.pop();
    const before = this.items.at(-1)?.indent ?? '';
    const indent = before + ' '.repeat(marker.length + 1);
    this.items.push({ level, indent });
    this.push(separator, `${before}${marker} ${text.replaceAll('\n', `\n${indent}`)}`.trimEnd());
  }

  private push(separator: string, text: string): void {
    if (this.parts.length > 0) this.parts.push(separator);
    this.parts.push(text);
  }
}

function headingOf({ level, text }: Extract<Block, { kind: 'heading' }>): string {
  return `${'#'.repeat(Math.min(6, Math.max(1, level)))} ${text.replaceAll('\n', ' ')}`;
}
