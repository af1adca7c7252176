import {
  type Block,
  blocksOfProse,
  LIST_ITEM,
  outlineOf,
  sentencesOf as cutIntoSentences,
  type TableContext,
  type TableHead,
} from '#reader';
import { contentTerms } from '../../lexical/analyse.js';

/** A sentence, list item or table row of a passage, with its offsets in UTF-16 code units. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
  /** The text in a self-contained form: on one line, and with column names for a table row. */
  readonly text: string;
  /**
   * Whether the sentence is complete. Rows, list items and fields are complete; prose is complete if it ends with a
   * punctuation mark.
   */
  readonly isWhole: boolean;
}

/** Matches the end of a sentence, including closing quotes, brackets and note marks. */
const SENTENCE_END = /[.!?。！？؟۔।…]["'”’»)\]\d]*\s*$/u;

const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** Languages that write the day as an ordinal with a period: `31. März`. */
const ORDINAL_DAYS = ['cs', 'da', 'de', 'et', 'fi', 'hr', 'hu', 'lv', 'nb', 'sk', 'sl'];

let months: ReadonlySet<string> | undefined;

/** Names of months in {@link ORDINAL_DAYS}. Formatting them takes 15 ms, which a start does not need. */
function monthNames(): ReadonlySet<string> {
  months ??= new Set(
    ORDINAL_DAYS.flatMap((locale) => {
      const format = new Intl.DateTimeFormat(locale, { month: 'long' });
      return Array.from({ length: 12 }, (_, month) => format.format(new Date(2_000, month)).toLowerCase());
    }),
  );
  return months;
}

const DAY = /(?<!\p{N})\p{N}{1,2}\.\s*$/u;
/** Matches an ordinal behind a German article or preposition: `im 3. Quartal`. */
const ORDINAL = /(?<!\p{L})(?:am|im|dem|den|der|die|das|des|vom|zum|zur|ab|jeden)\s\p{N}{1,3}\.\s*$/iu;

/** Whether the period between two parts of a text belongs to an ordinal. */
function isOrdinal(before: string, after: string): boolean {
  if (ORDINAL.test(before)) return true;
  const [word = ''] = /^[\p{L}\p{M}]+/u.exec(after) ?? [];
  return DAY.test(before) && monthNames().has(word.toLowerCase());
}

/**
 * Matches a period that does not end a sentence: a period after a single letter, after letters with periods between
 * them, after a short capitalised word (Dr., Fig.), or after a list number.
 */
const NO_END = /(?:^|[\s(])(?:(?:\p{L}\.)*\p{L}|\p{Lu}\p{Ll}{1,2})\.\s*$|^\s*\(?\p{N}{1,3}[.)]\s*$/u;

/** Matches the line break before a self-contained line, such as `Weight: 1.2 kg`. */
const FIELD = /\n(?=[^\S\n]*[\p{L}\p{N}][^.!?:。\n]{0,40}[:：][^\S\n]*\S)/u;

/**
 * Sentences of a passage in order, without headings and table headers.
 *
 * @param tableAbove caption and header of the table in which the passage starts, if any
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
    if (end < block.end && (NO_END.test(whole) || isOrdinal(whole, text.slice(end, end + 20)))) continue;
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

/** The column names of a table. If the table is aligned with spaces, the names are in the line above the table. */
function headerOf(text: string, { kind }: Block, table: TableHead | undefined): readonly string[] {
  if (table === undefined || table.header.length > 0 || kind === 'piped-row') return table?.header ?? [];
  return cellsOf(text.slice(0, table.start).trimEnd().split('\n').at(-1) ?? '');
}

/** Matches a cell separator that is not escaped with a backslash. */
const PIPE = /(?<!\\)\|/;

/**
 * Formats a table row with its column names: `Passenger: Adult; Single: 9.50`. Omits the column names if the columns of
 * the cells are not clear.
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

/**
 * The column names for the cells of a row; an empty list if the names cannot be assigned. The first column may have no
 * name. A truncated header (`… | Weight`) names the last columns.
 */
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
    : // a currency sign may be separated from its amount by spaces
      row
        .trim()
        .replace(/\s*(\p{Sc})\s+(?=[\d(–—-])/gu, '  $1')
        .split(/ {2,}|\t/);
  return cells.map((cell) => cell.replaceAll('\\|', '|').replace(/\s+/g, ' ').trim());
}

/**
 * Returns the share of a claim (a question or statement) that each text contains, in [0, 1]: the sum of the weights of
 * the claim's terms in the text, divided by the sum for all terms of the claim. The weight of a term is its BM25 idf
 * over the texts (Robertson and Spärck Jones), which is always positive.
 *
 * @param texts the texts as sets of terms ({@link termsOf})
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

/** The sentence of a passage with the best support for a claim. */
export interface Support {
  readonly sentence: Sentence;
  /** Share of the claim that the sentence contains, in [0, 1]; 0: no sentence shares a term with the claim. */
  readonly share: number;
}

/**
 * Returns the sentence with the largest share of `claim`; if several sentences have this share, the shortest of them.
 * Returns the first sentence if no sentence shares a term with the claim, and null for an empty list.
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
