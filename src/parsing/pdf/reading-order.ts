import { onOneLine, type Segment } from './segments.js';

/**
 * Puts the segments of a page into reading order. Most pages draw in that order already; two layouts are recognised
 * by the gutter between their columns: columns of prose, which are read one after another even when drawn line by line
 * across, and tables that are drawn column by column, which are read row by row.
 */
export function inReadingOrder(segments: readonly Segment[]): readonly Segment[] {
  const gutter = widestGutter(segments);
  if (gutter === undefined) return segments;
  const sideOf = (segment: Segment): Side =>
    segment.right <= gutter.right ? 'left' : segment.left >= gutter.left ? 'right' : 'across';
  const left = segments.filter((segment) => sideOf(segment) === 'left');
  const right = segments.filter((segment) => sideOf(segment) === 'right');
  const prose = isProse(left) && isProse(right);
  const switches = countSwitches(segments.map(sideOf)) / Math.min(left.length, right.length);
  if (prose && (switches <= DRAWN_BY_COLUMN || switches >= DRAWN_BY_LINE)) return byColumns(segments, sideOf);
  if (!prose && switches <= DRAWN_BY_COLUMN && isAligned(left, right)) return byRows(segments);
  return segments;
}

type Side = 'left' | 'right' | 'across';

/** Changes of side while drawing, for each line of the shorter side. */
const DRAWN_BY_COLUMN = 0.2;
const DRAWN_BY_LINE = 1.2;

/** Lines on each side that make a layout. */
const MIN_LINES = 6;

interface Gutter {
  readonly left: number;
  readonly right: number;
}

/** The widest vertical strip in the middle of the text that few segments touch, with lines on both sides. */
function widestGutter(segments: readonly Segment[]): Gutter | undefined {
  if (segments.length < 2 * MIN_LINES) return undefined;
  const left = segments.reduce((least, segment) => Math.min(least, segment.left), Infinity);
  const right = segments.reduce((most, segment) => Math.max(most, segment.right), -Infinity);
  const strips = Array.from({ length: STRIPS }, () => 0);
  const stripAt = (x: number): number => Math.floor(((x - left) / (right - left)) * STRIPS);
  for (const segment of segments) {
    for (let i = stripAt(segment.left); i <= Math.min(STRIPS - 1, stripAt(segment.right)); i += 1) {
      strips[i] = (strips[i] ?? 0) + 1;
    }
  }
  const most = segments.length * TOUCHED;
  let best: readonly [number, number] = [0, 0];
  for (let from = Math.floor(STRIPS * MARGIN), i = from; i <= STRIPS * (1 - MARGIN); i += 1) {
    if ((strips[i] ?? 0) > most) from = i + 1;
    else if (i + 1 - from > best[1] - best[0]) best = [from, i + 1];
  }
  if (best[1] === best[0]) return undefined;
  const xAt = (strip: number): number => left + (strip / STRIPS) * (right - left);
  const gutter = { left: xAt(best[0]), right: xAt(best[1]) };
  const onLeft = segments.filter((segment) => segment.right <= gutter.right).length;
  const onRight = segments.filter((segment) => segment.left >= gutter.left).length;
  return Math.min(onLeft, onRight) >= MIN_LINES ? gutter : undefined;
}

const STRIPS = 200;
/** Part of the text's width on either edge where no gutter is sought. */
const MARGIN = 0.2;
/** Part of the segments that may cross a gutter: titles, footers. */
const TOUCHED = 0.1;

/** Whether lines fill their column with words, as wrapped text does and cells of numbers do not. */
function isProse(segments: readonly Segment[]): boolean {
  const left = segments.reduce((least, segment) => Math.min(least, segment.left), Infinity);
  const right = segments.reduce((most, segment) => Math.max(most, segment.right), -Infinity);
  const full = segments.filter(
    (segment) =>
      segment.text.length >= FULL_CHARACTERS && segment.right - segment.left >= (right - left) * FULL_WIDTH,
  );
  return full.length >= segments.length / 2;
}

const FULL_CHARACTERS = 20;
const FULL_WIDTH = 0.7;

/** Whether most lines on the right stand beside one on the left. */
function isAligned(left: readonly Segment[], right: readonly Segment[]): boolean {
  const beside = right.filter((segment) => left.some((other) => onOneLine(segment, other)));
  return beside.length >= right.length * 0.6;
}

function countSwitches(sides: readonly Side[]): number {
  const drawn = sides.filter((side) => side !== 'across');
  return drawn.filter((side, index) => index > 0 && side !== drawn[index - 1]).length;
}

/** Between two segments that go across, the left column is read before the right one; each may have columns itself. */
function byColumns(segments: readonly Segment[], sideOf: (segment: Segment) => Side): Segment[] {
  const ordered: Segment[] = [];
  let [left, right]: [Segment[], Segment[]] = [[], []];
  const flush = (): void => {
    ordered.push(...inReadingOrder(left), ...inReadingOrder(right));
    [left, right] = [[], []];
  };
  for (const segment of byRows(segments)) {
    const side = sideOf(segment);
    if (side === 'left') left.push(segment);
    else if (side === 'right') right.push(segment);
    else {
      flush();
      ordered.push(segment);
    }
  }
  flush();
  return ordered;
}

/** From top to bottom, and from left to right on a line. */
function byRows(segments: readonly Segment[]): Segment[] {
  const rows: Segment[][] = [];
  for (const segment of segments.toSorted((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && onOneLine(row[0], segment)) row.push(segment);
    else rows.push([segment]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.left - b.left));
}
