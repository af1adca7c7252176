import { contentTerms } from '../../lexical/analyse.js';
import type { TableContext } from '../../lexical/chunk-context.js';
import { blocksOfProse, type Block, sentencesOf as cutIntoSentences } from '../../splitting/blocks.js';
import { outlineOf, type TableHead } from '../../splitting/outline.js';

/** A sentence, list item or table row of a passage, at its offsets (UTF-16 code units) in the text. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
  /** As it is read by itself: on one line, a row with the names of its columns. */
  readonly text: string;
  /** Whether it may stand for itself: a row, an item or a field, or prose that a sign ends. */
  readonly isWhole: boolean;
}

/** The end of a sentence, with the quotes, brackets and notes behind it. */
const SENTENCE_END = /[.!?。！？؟۔।…]["'”’»)\]\d]*\s*$/u;
const LIST_ITEM = /^\s*(?:[-*+•‣▪●○–]|\(?(?:\d{1,4}|[A-Za-z])[.)])\s/;

const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/**
 * A point that ends no sentence, told by what stands before it: one letter, letters with points between them, a short
 * word with a capital (Dr., Fig.), or the number of a list item.
 */
const NO_END = /(?:^|[\s(])(?:(?:\p{L}\.)*\p{L}|\p{Lu}\p{Ll}{1,2})\.\s*$|^\s*\(?\p{N}{1,3}[.)]\s*$/u;

/** Before a line such as `Weight: 1.2 kg`, which says something by itself. */
const FIELD = /\n(?=[^\S\n]*[\p{L}\p{N}][^.!?:。\n]{0,40}[:：][^\S\n]*\S)/u;

/**
 * Sentences of a passage in order, without its headings and the headers of its tables.
 * @param tableAbove head of the table whose rows the passage may begin with
 */
export function sentencesOf(text: string, tableAbove: TableContext | null = null): Sentence[] {
  const { tables } = outlineOf(text, 'text/plain', tableAbove);
  const sentences: Sentence[] = [];
  for (const block of blocksOfProse(text, 0, text.length, tableAbove !== null)) {
    if (block.kind === 'heading') continue;
    if (block.kind === 'prose') {
      sentences.push(...sentencesOfProse(text, block));
      continue;
    }
    const line = text.slice(block.start, block.end);
    const isHeader = block.kind === 'piped-row' && tables.some(({ start }) => start === block.end);
    if (isHeader || !SAYS_SOMETHING.test(line)) continue;
    const table = tables.find(({ start, end }) => start <= block.start && block.start < end);
    const said = block.kind === 'code' ? line : rowAsText(line, headerOf(text, block, table));
    sentences.push({ ...block, text: said, isWhole: true });
  }
  return sentences
    .map(({ start, end, text: said, isWhole }) => {
      const own = text.slice(start, end);
      const from = start + own.length - own.trimStart().length;
      const one = said.replace(/\s+/g, ' ').trim();
      return { start: from, end: from + own.trim().length, text: one, isWhole };
    })
    .filter(({ text: said }) => SAYS_SOMETHING.test(said));
}

function sentencesOfProse(text: string, block: Block): Sentence[] {
  const sentences: Sentence[] = [];
  let { start } = block;
  for (const { end } of cutIntoSentences(text, block)) {
    const whole = text.slice(start, end);
    if (end < block.end && NO_END.test(whole)) continue;
    const lines = whole.split(FIELD);
    for (const line of lines) {
      const isWhole = lines.length > 1 || LIST_ITEM.test(line) || SENTENCE_END.test(line);
      sentences.push({ start, end: start + line.length, text: line, isWhole });
      start += line.length + 1;
    }
    start = end;
  }
  return sentences;
}

/** The names of the columns; of cells that stand apart by gaps, as the line above the table has them. */
function headerOf(text: string, { kind }: Block, table: TableHead | undefined): readonly string[] {
  if (table === undefined || table.header.length > 0 || kind === 'piped-row') return table?.header ?? [];
  return cellsOf(text.slice(0, table.start).trimEnd().split('\n').at(-1) ?? '');
}

/** Between cells; a backslash makes it a character of one. */
const PIPE = /(?<!\\)\|/;

/**
 * A row of a table as it is read without the table: `Passenger: Adult; Single: 9.50`; its cells alone where it cannot be
 * told which column each of them is in.
 */
function rowAsText(row: string, header: readonly string[]): string {
  const cells = cellsOf(row);
  const names = namesFor(cells, header);
  const said = cells.map((cell, column) => {
    const name = names[column] ?? '';
    return cell === '' || name === '' ? cell : `${name}: ${cell}`;
  });
  return said.filter((cell) => cell !== '').join('; ');
}

/** The first column may have no name; of a header that was cut (`… | Weight`) the last columns have theirs. */
function namesFor(cells: readonly string[], header: readonly string[]): readonly string[] {
  const missing = cells.length - header.length;
  if (header[0]?.startsWith('…') === true && missing >= -1) {
    return [...Array.from({ length: missing + 1 }, () => ''), ...header.slice(1)];
  }
  if (missing === 0) return header;
  return missing === 1 ? ['', ...header] : [];
}

function cellsOf(row: string): string[] {
  const cells = PIPE.test(row)
    ? row
        .trim()
        .replace(/^\||(?<!\\)\|$/g, '')
        .split(PIPE)
    : // A currency may stand apart from its amount.
      row
        .trim()
        .replace(/\s*(\p{Sc})\s+(?=[\d(–—-])/gu, '  $1')
        .split(/ {2,}|\t/);
  return cells.map((cell) => cell.replaceAll('\\|', '|').replace(/\s+/g, ' ').trim());
}

/**
 * How much of a claim (a question, a statement) each of some texts holds, in [0, 1]: the share of the weight of the
 * claim's terms that occur in it. A term weighs by how few of the texts have it: the idf of BM25 (Robertson and Spärck
 * Jones), always positive.
 * @param texts their terms ({@link termsOf})
 */
export function sharesOf(claim: string, texts: readonly ReadonlySet<string>[]): number[] {
  const frequencies = new Map<string, number>();
  for (const terms of texts) {
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  const weights = new Map<string, number>();
  for (const term of termsOf(claim)) {
    const having = frequencies.get(term) ?? 0;
    weights.set(term, Math.log(1 + (texts.length - having + 0.5) / (having + 0.5)));
  }
  const total = sumOf(weights.values());
  return texts.map((terms) =>
    total === 0 ? 0 : sumOf(Array.from(terms, (term) => weights.get(term) ?? 0)) / total,
  );
}

export function termsOf(text: string): ReadonlySet<string> {
  return new Set(contentTerms(text));
}

/** The sentence of a passage that supports a claim best. */
export interface Support {
  readonly sentence: Sentence;
  /** How much of the claim it holds, in [0, 1]; 0: none of the sentences shares a term with the claim. */
  readonly share: number;
}

/**
 * The one of `sentences` that holds most of `claim`, of equals the shorter one; the first one when none shares a term
 * with it; null when there is none.
 */
export function bestSupport(sentences: readonly Sentence[], claim: string): Support | null {
  const shares = sharesOf(
    claim,
    sentences.map(({ text }) => termsOf(text)),
  );
  const ranked = sentences
    .map((sentence, index) => ({ sentence, share: shares[index] ?? 0 }))
    .sort((a, b) => b.share - a.share || (a.share > 0 ? a.sentence.text.length - b.sentence.text.length : 0));
  return ranked[0] ?? null;
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
