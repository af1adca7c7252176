import { Boundary, type Span } from './cuts.js';

/** Prose runs over line ends; a line of any other block stands for itself. */
export interface Block extends Span {
  readonly kind: 'prose' | 'heading' | 'row' | 'code';
}

const HEADING = /^ {0,3}(#{1,6})(?:\s|$)/;
const LIST_ITEM = /^\s*(?:[-*+•‣▪●○–]|\(?(?:\d{1,4}|[A-Za-z])[.)])\s/;
const PIPED_ROW = /^\s*\|/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const INDENTED = /^[ \t]/;

/** Cells with figures that stand apart by gaps, as in the text of a PDF; two spaces also follow sentences. */
const SPACED_ROW = /^(?=.*\d).*[^\s.!?:;] {2,}\S/;

/** Only the head of a line says what it is; a line may be as long as the text. */
const LINE_HEAD = 64;
/** Of a row, as far as its first gap and figure. */
const ROW_HEAD = 256;

/** Lines with their line end, `[start, end)`. Linear also when a line is longer than the range. */
function* linesOf(text: string, from: number, to: number): Generator<readonly [number, number]> {
  const part = text.slice(from, to); // so that the search for a line end stays within the range
  for (let start = 0; start < part.length;) {
    const newline = part.indexOf('\n', start);
    const end = newline === -1 ? part.length : newline + 1;
    yield [from + start, from + end];
    start = end;
  }
}

function isBlank(text: string, start: number, end: number): boolean {
  const head = text.slice(start, Math.min(end, start + LINE_HEAD));
  return head.trim() === '' && (end - start <= LINE_HEAD || text.slice(start, end).trim() === '');
}

/** Whether the line at `start` is a row of a table. */
function isRow(text: string, start: number, end: number): boolean {
  const head = text.slice(start, Math.min(end, start + ROW_HEAD));
  return PIPED_ROW.test(head) || SPACED_ROW.test(head);
}

/** Paragraphs, headings, list items, table rows and lines of fenced code of `text[from, to)`, which they tile. */
export function* blocksOfProse(text: string, from: number, to: number): Generator<Block> {
  let open: { start: number; boundary: number; kind: Block['kind'] } | undefined;
  let end = from;
  let afterBlank = false;
  let afterHeading = false;
  let inFence = false;
  let rowsOfTable = 0;

  for (const [start, lineEnd] of linesOf(text, from, to)) {
    if (isBlank(text, start, lineEnd)) {
      open ??= { start, boundary: Boundary.paragraph, kind: 'code' };
      end = lineEnd;
      afterBlank = true;
      if (!inFence) rowsOfTable = 0;
      continue;
    }
    const line = text.slice(start, Math.min(lineEnd, start + LINE_HEAD));
    const heading = inFence ? null : HEADING.exec(line);
    const fence = FENCE.test(line);
    const row = !inFence && heading === null && isRow(text, start, lineEnd);
    rowsOfTable = row ? rowsOfTable + 1 : 0;

    let boundary: number;
    if (inFence && !fence) {
      boundary = afterBlank ? (INDENTED.test(line) ? Boundary.sentence : Boundary.item) : Boundary.line;
    } else if (heading?.[1] !== undefined && !afterHeading) boundary = Boundary.heading(heading[1].length);
    else if (afterHeading || (inFence && fence)) boundary = Boundary.line;
    else if (row)
      boundary = rowsOfTable === 1 ? Boundary.paragraph : rowsOfTable <= 3 ? Boundary.line : Boundary.item;
    else if (afterBlank) boundary = Boundary.paragraph;
    else boundary = Boundary.item;

    const kind = heading !== null ? 'heading' : row ? 'row' : inFence || fence ? 'code' : 'prose';
    const continues = kind === 'prose' && open?.kind === 'prose' && !afterBlank && !LIST_ITEM.test(line);
    if (!continues) {
      if (open !== undefined) yield { ...open, end };
      open = { start, boundary, kind };
    }
    end = lineEnd;
    afterBlank = false;
    afterHeading = heading !== null;
    if (fence) inFence = !inFence;
  }
  if (open !== undefined) yield { ...open, end };
}

/** Lines of source code: the best places to cut are blank lines before code that is not indented. */
export function* blocksOfCode(text: string, from: number, to: number): Generator<Block> {
  let afterBlank = false;
  for (const [start, end] of linesOf(text, from, to)) {
    if (isBlank(text, start, end)) {
      afterBlank = true;
      yield { start, end, boundary: Boundary.word, kind: 'code' };
      continue;
    }
    const indented = INDENTED.test(text.slice(start, start + 1));
    const boundary = afterBlank
      ? indented
        ? Boundary.item
        : Boundary.paragraph
      : indented
        ? Boundary.line
        : Boundary.sentence;
    yield { start, end, boundary, kind: 'code' };
    afterBlank = false;
  }
}
