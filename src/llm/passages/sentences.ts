/** A sentence, list item, table row or heading of a text, at its offsets (UTF-16 code units) in that text. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
  /** Verbatim, trimmed. */
  readonly text: string;
  readonly kind: 'prose' | 'item' | 'row' | 'heading';
  /** Paragraph, list or table it stands in, counted from 0. */
  readonly block: number;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

const HEADING = /^\s{0,3}#{1,6}\s/;
/** Number or bullet of a list item. */
export const LIST_MARK = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+/;
/** Between cells; a backslash makes it a character of one. */
const PIPE = /(?<!\\)\|/;
/** Cells between lines or tabs, or, as in the text of a PDF, figures that stand apart by gaps. */
const ROW = /^\s*\|.*\||\t|^(?=.*\d).*[^\s.!?:;] {2,}\S/;
/** Names of columns that stand apart by gaps. */
const SPACED_NAMES = /^\S.*\S {2,}\S.*\S {2,}\S/;
/** Characters in which names of columns are sought. */
const ROW_HEAD = 256;
const RULE = /^[\s|:=_*-]+$/;
/** `Weight: 1.2 kg`: a line that is a fact of its own. */
const FIELD = /^\s*[\p{L}\p{N}][^.!?:。]{0,40}[:：]\s*\S/u;
const ENDS_SENTENCE = /[.!?…。！？:：]["'”’)\]」』]*\s*$/;

/** Abbreviations after which a sentence goes on, whatever follows. */
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|no|nos|fig|figs|approx|dr|mr|mrs|ms|prof|st|inc|ltd|co|sec|chap|vol|pp?|art|z\.b|bzw|ca|nr|abb)\.\s*$/i;

/**
 * Sentences of a passage in order, by the rules of Unicode (UAX 29) within paragraphs. A line that is a list item,
 * a table row, a heading or a `name: value` field stands for itself; other single line breaks are soft.
 */
export function sentencesOf(text: string): Sentence[] {
  return blocksOf(text).flatMap((block, index) => sentencesOfBlock(text, block, index));
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly kind: Sentence['kind'];
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { start: number; end: number; kind: Sentence['kind'] } | undefined;
  const close = (): void => {
    if (open) blocks.push(open);
    open = undefined;
  };
  const lines = [...text.matchAll(/[^\n\r]+/g)];
  const pipes = lines.map(([line]) => line.split(PIPE).length - 1);
  let inPiped = false;
  for (const [at, { 0: line, index }] of lines.entries()) {
    const gap = text.slice(open?.end ?? index, index);
    if (/\n[\t ]*\r?\n/.test(gap) || line.trim() === '') close();
    if (RULE.test(line)) {
      inPiped ||= pipes[at] !== 0;
      close();
      continue;
    }
    // A row without pipes around it is one by its neighbours.
    inPiped = pipes[at] !== 0 && (inPiped || pipes[at] === pipes[at + 1]);
    const kind = inPiped ? 'row' : kindOf(line);
    const end = index + line.length;
    if (
      open &&
      kind === 'prose' &&
      !FIELD.test(line) &&
      continues(text.slice(open.start, open.end), open.kind)
    ) {
      open.end = end;
      continue;
    }
    close();
    open = { start: index, end, kind };
    if (kind === 'heading' || kind === 'row') close();
  }
  close();
  return blocks;
}

/** Whether a following plain line belongs to what stands before it. */
function continues(before: string, kind: Sentence['kind']): boolean {
  return kind === 'prose' ? true : kind === 'item' && !ENDS_SENTENCE.test(before);
}

function kindOf(line: string): Sentence['kind'] {
  if (HEADING.test(line)) return 'heading';
  if (ROW.test(line) || SPACED_NAMES.test(line.slice(0, ROW_HEAD))) return 'row';
  return LIST_MARK.test(line) ? 'item' : 'prose';
}

function sentencesOfBlock(text: string, block: Block, index: number): Sentence[] {
  const { start, end, kind } = block;
  if (kind === 'heading' || kind === 'row') return [trimmed(text, start, end, kind, index)];
  // One code unit for one: offsets stay, and a soft line break does not end a sentence.
  const flat = text.slice(start, end).replace(/[\n\r\t]/g, ' ');
  const sentences: Sentence[] = [];
  let from = 0;
  // The mark of a list item is not a sentence of its own: "2." belongs to what follows it.
  const markLength = kind === 'item' ? (LIST_MARK.exec(flat)?.[0].length ?? 0) : 0;
  for (const { segment, index: at } of segmenter.segment(flat)) {
    const to = at + segment.length;
    if (to <= markLength || (to < flat.length && ABBREVIATION.test(flat.slice(from, to)))) continue;
    const sentence = trimmed(text, start + from, start + to, kind, index);
    from = to;
    if (sentence.text !== '') sentences.push(sentence);
  }
  return sentences;
}

/** On a page a sign may stand apart from its amount, and near the one before. */
const APART = /\s*([$€£¥])\s+(?=[\d(–—-])/g;

/** The cells of a table row, empty ones included. */
export function cellsOf(row: string): string[] {
  const cells = isPiped(row)
    ? row.replace(/^\s*\||(?<!\\)\|\s*$/g, '').split(PIPE)
    : row.replace(APART, '  $1').split(/ {2,}|\t/);
  return cells.map((cell) => cell.replaceAll('\\|', '|').replace(/\s+/g, ' ').trim());
}

/** Whether the cells of a row stand between pipes, not apart by gaps. */
export function isPiped(row: string): boolean {
  return PIPE.test(row);
}

function trimmed(text: string, from: number, to: number, kind: Sentence['kind'], block: number): Sentence {
  const raw = text.slice(from, to);
  const start = from + (raw.length - raw.trimStart().length);
  const end = Math.max(start, to - (raw.length - raw.trimEnd().length));
  return { start, end, text: text.slice(start, end), kind, block };
}
