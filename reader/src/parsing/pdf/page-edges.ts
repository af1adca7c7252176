import { SENTENCE_END } from './layout/prose.js';
import { joinLines, type TextLine } from './page-text.js';

/** The text of a page. The lines at its edges are apart, because they may be a running header or footer. */
export interface PageParts {
  readonly head: readonly TextLine[];
  readonly body: string;
  readonly foot: readonly TextLine[];
  /** First and last line of the body; undefined if it is empty, or was recognised by OCR. */
  readonly first: TextLine | undefined;
  readonly last: TextLine | undefined;
  /** Width of the widest line of the body. */
  readonly width: number;
}

/** Share of the page's height in which running headers and footers stand, and their maximum number of lines. */
const EDGE = 0.14;
const MAX_LINES = 4;

/**
 * @param lines lines of an upright page
 * @param bottom Y of the lower edge of the page
 * @param top Y of the upper edge
 */
export function partsOf(lines: readonly TextLine[], bottom: number, top: number): PageParts {
  const edge = (top - bottom) * EDGE;
  const end = lines.findIndex(({ angle, y }) => angle !== 0 || y < top - edge);
  const last = lines.findLastIndex(({ angle, y }) => angle !== 0 || y > bottom + edge);
  const heads = Math.min(MAX_LINES, end === -1 ? lines.length : end);
  const feet = Math.max(heads, last + 1, lines.length - MAX_LINES);
  return {
    head: lines.slice(0, heads),
    ...bodyOf(lines.slice(heads, feet)),
    foot: lines.slice(feet),
  };
}

/** The parts of a page whose lines have no positions. */
export function partsOfText(text: string): PageParts {
  return { head: [], foot: [], ...bodyOf([]), body: text };
}

function bodyOf(lines: readonly TextLine[]): Omit<PageParts, 'head' | 'foot'> {
  const width = Math.max(0, ...lines.map(({ left, right }) => right - left));
  return { body: joinLines(lines), first: lines[0], last: lines.at(-1), width };
}

/** Returns the lines that do not recur on other pages to the body of their page. */
export function withRunningLinesOnly(pages: readonly PageParts[]): PageParts[] {
  const counts = new Map<string, number>();
  for (const { head, foot } of pages) {
    for (const key of new Set([...head, ...foot].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isRunning = (line: TextLine): boolean => (counts.get(keyOf(line)) ?? 0) > 1;
  return pages.map((page) => {
    const heads = page.head.findLastIndex(isRunning) + 1;
    const found = page.foot.findIndex(isRunning);
    const feet = found === -1 ? page.foot.length : found;
    const [above, below] = [page.head.slice(heads), page.foot.slice(0, feet)];
    const inner = page.body === '' ? [] : [{ text: page.body, before: page.first?.before ?? '\n\n' }];
    return {
      head: page.head.slice(0, heads),
      body: joinLines([...above, ...inner, ...below]),
      foot: page.foot.slice(feet),
      first: above[0] ?? page.first ?? below[0],
      last: below.at(-1) ?? page.last ?? above.at(-1),
      width: Math.max(page.width, ...[...above, ...below].map(({ left, right }) => right - left)),
    };
  });
}

/** The text of a line without the numbers that change from page to page. */
function keyOf({ text }: TextLine): string {
  return text.replace(/\p{N}+/gu, '#').trim();
}

/** Minimum relative difference of two font sizes, and minimum share of the body's width that a wrapped line fills. */
const OTHER_SIZE = 0.15;
const FULL = 0.8;

/** Whether a sentence continues on the next page. */
export function continuesOn(page: PageParts, next: PageParts): boolean {
  const text = page.body.trimEnd();
  if (text === '' || next.body === '' || SENTENCE_END.test(text)) return false;
  const [last, first] = [page.last, next.first];
  const isOtherSize =
    last !== undefined &&
    first !== undefined &&
    Math.abs(last.size - first.size) > OTHER_SIZE * Math.max(last.size, first.size);
  if (isOtherSize) return false;
  if (/^[\p{Ps}\p{Pi}"']*\p{Ll}/u.test(next.body) || /\p{L}[-\u2010\u00ad]$/u.test(text)) return true;
  const isFull = last !== undefined && last !== page.first && last.right - last.left >= FULL * page.width;
  return isFull && (/(?:^|\s)\p{Ll}+,?$/u.test(text) || /^\p{Lo}/u.test(next.body));
}
