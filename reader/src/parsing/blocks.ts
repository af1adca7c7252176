import { markdownTable } from './markdown-table.js';
import { dataTable, type DataTable, type SpannedCell, type SpannedRow } from './table/table-grid.js';

/** A block of a text document, which starts on its own line. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** `level` is 1-based. */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** A list item. `marker` is Markdown: `-`, `1.` or `1)`. `level` is 0-based. */
  | { readonly kind: 'item'; readonly level: number; readonly marker: string; readonly text: string }
  /** `line` contains the cell texts on one line, for a table that is nested in a cell. */
  | { readonly kind: 'table'; readonly text: string; readonly line: string };

const MARKDOWN_NUMBER = /^\d{1,9}[.)]$/;
export const BULLET = '-';

/** Collapses white space, except at line breaks. */
export function collapsed(text: string): string {
  return text
    .replaceAll('\u00ad', '')
    .replace(/[ \t\r\f]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

/**
 * Builds a numbered paragraph. Numbers such as `2.2` and `(a)` become text, because Markdown has no syntax for them.
 *
 * @param gap separator of number and text: a space, or nothing
 */
export function numberedBlock(number: string, gap: string, level: number, text: string): Block {
  if (number === BULLET || MARKDOWN_NUMBER.test(number)) return { kind: 'item', level, marker: number, text };
  return { kind: 'paragraph', text: numberedText(number, gap, text) };
}

const ENDS_IN_WORD = /[\p{N}\p{Script=Latin}]$/u;
const BEGINS_WITH_WORD = /^[\p{N}\p{Script=Latin}]/u;

/** A number with its text; adjacent digits are always separated. */
export function numberedText(number: string, gap: string, text: string): string {
  const needsSpace = gap !== '' || (ENDS_IN_WORD.test(number) && BEGINS_WITH_WORD.test(text));
  return `${number}${needsSpace ? ' ' : ''}${text}`.trim();
}

/** Blocks on one line, as in a table cell. */
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

/** A table from rows of cells, starting with the header. */
export function tableBlock(rows: readonly (readonly string[])[]): Block {
  return { kind: 'table', text: markdownTable(rows), line: rows.flat().join(' ') };
}

function tableBlocks({ captions, rows }: DataTable): Block[] {
  return [...captions.map((text): Block => ({ kind: 'paragraph', text })), tableBlock(rows)];
}

export interface BlockCell extends Omit<SpannedCell, 'text'> {
  readonly blocks: readonly Block[];
}

export interface BlockRow extends Omit<SpannedRow, 'cells'> {
  readonly cells: readonly BlockCell[];
}

/** Converts a data table to a table block, and a layout table to its content, cell by cell. */
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

/**
 * Whether a table is used for layout. A layout table has a cell with a heading. A table without a header row is also
 * a layout table if a cell contains a table, or if a cell contains a list and the table has fewer than three rows or
 * rows with different numbers of cells.
 */
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

/** Joins blocks to Markdown: a blank line between blocks, a line end between list items. */
export class BlockWriter {
  private readonly parts: string[] = [];
  /** Open items that may contain the next item. */
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
