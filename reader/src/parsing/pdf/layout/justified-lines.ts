import { PARAGRAPH_STEP, type Row } from './rows.js';
import type { Segment } from './segments.js';

/** In font sizes: maximum difference of the edges of two lines, and of the gaps of a line. */
const SAME_EDGE = 0.3;
const SAME_GAP = 0.4;

/** Gap from which words are not separated by a gap of the same width within a segment, in font sizes. */
const WIDE_GAP = 1.6;

/**
 * Joins the words of justified lines. In a narrow column, the gaps between words may be as wide as between the cells of
 * a table. But they are all equal, and the line above or below has the same edges.
 */
export function justifiedLines(rows: readonly Row[]): readonly Row[] {
  if (!rows.some(({ segments }) => segments.length > 1)) return rows;
  const areLines = rows.map(({ segments }) => segments.length === 1);
  const spread = (at: number, near: number): void => {
    const [row, other] = [rows[at], rows[near]];
    if (areLines[at] === true || areLines[near] !== true || row === undefined || other === undefined) return;
    areLines[at] = haveSameEdges(row, other) && isSpreadEvenly(row);
  };
  for (let at = 1; at < rows.length; at += 1) spread(at, at - 1);
  for (let at = rows.length - 2; at >= 0; at -= 1) spread(at, at + 1);
  return rows.map((row, at) => (areLines[at] === true ? asLine(row) : row));
}

function haveSameEdges(row: Row, other: Row): boolean {
  const most = SAME_EDGE * row.size;
  const [first, last] = [row.segments[0], row.segments.at(-1)];
  const [otherFirst, otherLast] = [other.segments[0], other.segments.at(-1)];
  return (
    first !== undefined &&
    last !== undefined &&
    Math.abs(row.y - other.y) <= PARAGRAPH_STEP * row.size &&
    Math.abs(first.left - (otherFirst?.left ?? 0)) <= most &&
    Math.abs(last.right - (otherLast?.right ?? 0)) <= most
  );
}

function isSpreadEvenly({ segments, size }: Row): boolean {
  const gaps = segments.slice(1).map(({ left }, index) => left - (segments[index]?.right ?? 0));
  const widest = Math.max(...gaps);
  if (widest - Math.min(...gaps) > SAME_GAP * size) return false;
  return widest <= WIDE_GAP * size || segments.every(({ text }) => !text.includes(' '));
}

function asLine(row: Row): Row {
  const [first, ...others] = row.segments;
  if (first === undefined || others.length === 0) return row;
  const line = others.reduce<Segment>(
    (all, { text, right, lastOrder }) => ({ ...all, text: `${all.text} ${text}`, right, lastOrder }),
    first,
  );
  return { ...row, segments: [line] };
}
