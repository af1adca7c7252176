import { Boundary, CODE_POINTS, GRAPHEMES, LINES, type Span, WORDS } from './cuts.js';

/** A block of prose may span several lines; every other block is one line. */
export interface Block extends Span {
  readonly kind: 'prose' | 'heading' | 'piped-row' | 'spaced-row' | 'code';
}

/** Content types of source code and data. */
export const CODE =
  /^(?:text\/x-(?!rst)|text\/(?:javascript|css)|application\/(?:json|xml|javascript|.*\+(?:json|xml)))/;

const HEADING = /^ {0,3}(#{1,6})(?:\s|$)/;
/** A number has at most three digits, because four digits may be a year. */
export const LIST_ITEM = /^\s*(?:[-*+•‣▪●○–]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s/;
const BULLET = /^\s*[-*+•‣▪●○–]/;
const PIPED_ROW = /^\s*\|/;
/** Delimiter row after a table header. Outer pipes are optional. */
const DELIMITER_ROW = /^ {0,3}(?=[^\n]*\|)(?=[^\n]*-)[|:\- \t]+(?:\r?\n|$)/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const INDENTED = /^[ \t]/;

/**
 * A line with a number and a gap of two spaces between cells, as in text from a PDF. A gap after punctuation does not
 * count, because a sentence may be followed by two spaces.
 */
const SPACED_ROW = /^(?=.*\d).*[^\s.!?:;] {2,}\S/;

/**
 * Number of characters at the start of a line that determine its kind. Limited, because a line can be as long as the
 * text.
 */
const LINE_HEAD = 64;
/** Number of characters at the start of a row that are searched for its first gap and number. */
const ROW_HEAD = 256;

/**
 * Yields `[start, end)` of each line, including its line break. Takes linear time even if a line is longer than the
 * range.
 */
function* linesOf(text: string, from: number, to: number): Generator<readonly [number, number]> {
  const part = text.slice(from, to); // so that `indexOf` does not search beyond `to`
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

const COMMENT = /^ {0,3}<!--/;

/** Finds the lines of HTML comments, which begin with a line and may contain blank lines. */
class Comments {
  /** End of the last comment that was found. */
  private end = 0;
  private hasMore = true;

  constructor(
    private readonly text: string,
    private readonly to: number,
  ) {}

  /** Whether the line belongs to a comment. Lines are asked in order. */
  contain(start: number, lineEnd: number): boolean {
    if (start < this.end) return true;
    if (!this.hasMore || !COMMENT.test(this.text.slice(start, Math.min(lineEnd, start + 8)))) return false;
    const close = this.text.indexOf('-->', start);
    this.hasMore = close !== -1 && close < this.to;
    if (this.hasMore) this.end = close;
    return this.hasMore;
  }
}

/** The kind of table row at `start`, if any. */
function rowKindOf(
  text: string,
  start: number,
  end: number,
  afterPiped: boolean,
): 'piped-row' | 'spaced-row' | undefined {
  const head = text.slice(start, Math.min(end, start + ROW_HEAD));
  if (PIPED_ROW.test(head)) return 'piped-row';
  const isBare = head.includes('|') && (afterPiped || DELIMITER_ROW.test(text.slice(end, end + ROW_HEAD)));
  if (isBare) return 'piped-row';
  return SPACED_ROW.test(head) ? 'spaced-row' : undefined;
}

/**
 * Paragraphs, headings, list items, table rows and lines of fenced code that tile `text[from, to)`.
 *
 * @param afterPiped whether a table row with pipes precedes `from`
 */
export function* blocksOfProse(text: string, from: number, to: number, afterPiped = false): Generator<Block> {
  let open: { start: number; boundary: number; kind: Block['kind'] } | undefined;
  let end = from;
  let afterBlank = false;
  let afterHeading = false;
  let inFence = false;
  const comments = new Comments(text, to);
  let rowsOfTable = 0;
  let inPiped = afterPiped;

  for (const [start, lineEnd] of linesOf(text, from, to)) {
    const inComment = !inFence && comments.contain(start, lineEnd);
    if (isBlank(text, start, lineEnd)) {
      open ??= { start, boundary: Boundary.paragraph, kind: 'code' };
      end = lineEnd;
      afterBlank = true;
      if (!inFence) rowsOfTable = 0;
      inPiped = false;
      continue;
    }
    const line = text.slice(start, Math.min(lineEnd, start + LINE_HEAD));
    const heading = inFence || inComment ? null : HEADING.exec(line);
    const fence = !inComment && FENCE.test(line);
    const row =
      inFence || inComment || heading !== null ? undefined : rowKindOf(text, start, lineEnd, inPiped);
    rowsOfTable = row === undefined ? 0 : rowsOfTable + 1;
    inPiped = row === 'piped-row';

    let boundary: number;
    if ((inFence && !fence) || inComment) {
      boundary = afterBlank ? (INDENTED.test(line) ? Boundary.sentence : Boundary.item) : Boundary.line;
    } else if (heading?.[1] !== undefined && !afterHeading) boundary = Boundary.heading(heading[1].length);
    else if (afterHeading || (inFence && fence)) boundary = Boundary.line;
    else if (row !== undefined)
      boundary = rowsOfTable === 1 ? Boundary.paragraph : rowsOfTable <= 3 ? Boundary.line : Boundary.item;
    else if (afterBlank) boundary = Boundary.paragraph;
    else boundary = Boundary.item;

    const kind = heading !== null ? 'heading' : (row ?? (inFence || fence || inComment ? 'code' : 'prose'));
    const continues =
      kind === 'prose' &&
      open?.kind === 'prose' &&
      !afterBlank &&
      (!LIST_ITEM.test(line) || isInSentence(line, text.slice(open.start, end)));
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

/**
 * Whether a line that looks like a numbered item continues the previous block, because that block ends with a comma and
 * is not a list item.
 */
function isInSentence(line: string, before: string): boolean {
  return (
    !BULLET.test(line) &&
    /,\s*$/.test(before.slice(-LINE_HEAD)) &&
    !LIST_ITEM.test(before.slice(0, LINE_HEAD))
  );
}

/** Lines of source code; the best cuts are at blank lines before unindented code. */
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

/** Maximum length of the segmenter's input. The segmenter copies its input, so a longer block is passed in windows. */
const WINDOW = 16_384;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Splits a block of prose into tiling sentences (UAX #29); other blocks are returned whole. */
export function* sentencesOf(text: string, block: Block): Generator<Span> {
  const { end } = block;
  if (block.kind !== 'prose' && end - block.start <= WINDOW) {
    yield block;
    return;
  }
  let { start, boundary } = block;
  while (start < end) {
    const windowEnd = Math.min(end, start + WINDOW);
    const window = text.slice(start, windowEnd);
    let last = 0;
    if (block.kind === 'prose') {
      // A line end inside a paragraph is white space, but the segmenter would end the sentence there.
      for (const { index } of segmenter.segment(window.replace(/[\r\n]/g, ' '))) {
        if (index === 0) continue;
        yield { start: start + last, end: start + index, boundary };
        boundary = Boundary.sentence;
        last = index;
      }
    }
    if (windowEnd === end) {
      yield { start: start + last, end, boundary };
      return;
    }
    if (last === 0) {
      last = lastSafeCut(window);
      yield { start, end: start + last, boundary };
      boundary = Boundary.word;
    }
    start += last;
  }
}

/**
 * The last safe cut in a window: after a line end in its second half, else before a word, else between graphemes. The
 * end of the window is not a cut, because it may split a word or a grapheme cluster. A cluster that fills the whole
 * window is cut between code points.
 */
function lastSafeCut(window: string): number {
  const newline = LINES.cutsOf(window).before(window.length - 1);
  if (newline > window.length / 2) return newline;
  for (const level of [WORDS, GRAPHEMES]) {
    const cut = level.cutsOf(window).before(window.length - 1);
    if (cut > 0) return cut;
  }
  return CODE_POINTS.cutsOf(window).before(window.length - 1);
}
