import type { Segment } from './segments.js';
import { cellsOf, type Row } from './rows.js';

/** Distance from a line to the next line of its paragraph, in font sizes. */
export const LINE_STEP = 1.9;

/** Number of rows that are searched for the next line. Rows of a neighbouring column may lie between. */
const ROWS_BELOW = 3;

/** Minimum share of the column's width that a line fills before it is wrapped. */
const FULL = 0.6;

/** Minimum average score of wrapped text. */
const PROSE = 0.5;

/** Minimum average width of the lines of prose, in characters. */
const MIN_CHARACTERS = 10;

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;

export const SENTENCE_END = /[.!?:;。！？：；؟][\p{Pe}\p{Pf}"']*$/u;

/**
 * Whether rows are wrapped prose, in one column or in several. The lines of prose fill the width of their column, and
 * most of them continue the sentence of the line above. Cells of a table start anew.
 */
export function isProse(rows: readonly Row[]): boolean {
  const lines = rows.map(cellsOf);
  const all = lines.flat();
  if (all.reduce((sum, { text }) => sum + widthOf(text), 0) < MIN_CHARACTERS * all.length) return false;
  const columns = new Map<Segment, { width: number }>();
  const pairs: [Segment, Segment][] = [];
  for (const [index, line] of lines.entries()) {
    for (const above of line) {
      const column = columns.get(above) ?? { width: 0 };
      columns.set(above, column);
      column.width = Math.max(column.width, above.right - above.left);
      const below = lineBelow(above, lines.slice(index + 1, index + 1 + ROWS_BELOW));
      if (below === undefined) continue;
      columns.set(below, column);
      pairs.push([above, below]);
    }
  }
  const scores = pairs.flatMap(([above, below]) => {
    const isFull = above.right - above.left >= FULL * (columns.get(above)?.width ?? 0);
    return flow(above.text, below.text, isFull) ?? [];
  });
  return scores.length > 0 && scores.reduce((sum, score) => sum + score, 0) >= PROSE * scores.length;
}

function lineBelow(above: Segment, lines: readonly (readonly Segment[])[]): Segment | undefined {
  for (const line of lines) {
    const below = line.find((one) => isOverlapping(above, one));
    if (below === undefined) continue;
    return above.y - below.y <= LINE_STEP * above.size ? below : undefined;
  }
  return undefined;
}

/** Whether two segments overlap by at least half of the narrower one. */
export function isOverlapping(a: Segment, b: Segment): boolean {
  const shared = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return shared >= 0.5 * Math.min(a.right - a.left, b.right - b.left);
}

/** How likely a line continues the text of the line above, from 0 to 1; undefined: no evidence. */
function flow(above: string, below: string, isFull: boolean): number | undefined {
  if (!isFull || widthOf(above) < MIN_CHARACTERS) return 0;
  if (SENTENCE_END.test(above)) return undefined;
  if (/^[\p{Ps}\p{Pi}"']*\p{Ll}/u.test(below) || /\p{L}[-\u2010\u00ad]$/u.test(above)) return 1;
  if (/^[\p{Ps}\p{Pi}"']*\p{Lo}/u.test(below)) return 0.8;
  return isCapital(above) && isCapital(below) ? 0.7 : 0.35;
}

function isCapital(text: string): boolean {
  return /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);
}

/** Width in Latin characters: a CJK character is as wide as two. */
function widthOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}
