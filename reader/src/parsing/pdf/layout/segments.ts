import { lowered, raised } from '../../notation.js';
import { DrawnPlaces } from './drawn-places.js';

/** A run of glyphs, in PDF units (1/72 inch), y upwards. */
export interface TextRun {
  readonly str: string;
  readonly x: number;
  /** Y of the baseline. */
  readonly y: number;
  readonly width: number;
  readonly size: number;
  /** Direction of the text in degrees, counted counterclockwise. Absent: from left to right. */
  readonly angle?: number;
}

/** A part of a line without a wide gap. */
export interface Segment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Y of the baseline. */
  readonly y: number;
  readonly size: number;
  /** Position in the drawing order of the page: of the first and of the last part. */
  readonly order: number;
  readonly lastOrder: number;
}

/** In font sizes: minimum width of a space, and of a gap that ends a segment. */
const SPACE = 0.15;
export const SEGMENT_GAP = 1;

/** Maximum baseline distance of runs in one line, in font sizes; allows for subscripts and superscripts. */
export const SAME_LINE = 0.5;

/** Joins runs to segments, in drawing order. Text that is drawn twice, to look bold or shadowed, is read once. */
export function segmentsOf(runs: readonly TextRun[]): Segment[] {
  const segments: Segment[] = [];
  const drawn = new DrawnPlaces();
  let isSpaced = false;
  let exponent: TextRun | undefined;
  for (const run of runs) {
    const { str, x, y, width, size } = run;
    if (str.trim() === '') {
      isSpaced ||= str !== '';
      continue;
    }
    if (!drawn.add(str.trim(), x, y, size)) continue;
    const last = segments.at(-1);
    const gap = last === undefined ? 0 : x - last.right;
    const isNext =
      last !== undefined &&
      Math.abs(last.y - y) <= Math.max(last.size, size) * SAME_LINE &&
      gap > -size &&
      gap <= size * SEGMENT_GAP;
    if (!isNext) {
      const order = segments.length;
      segments.push({ text: str.trim(), left: x, right: x + width, y, size, order, lastOrder: order });
      exponent = undefined;
    } else {
      const isApart =
        isSpaced || gap > size * SPACE || /^\s/.test(str) || isNextLabel(last.text, str, gap / size);
      const space = isApart ? ' ' : '';
      const isExponent = isSuperscript(last, run) && (space === '' || /\d$/.test(last.text));
      const isIndex = exponent !== undefined && isBelow(exponent, run);
      const text = isExponent ? raised(str.trim()) : isIndex ? lowered(str.trim()) : space + str.trim();
      segments[segments.length - 1] = {
        ...last,
        // The largest run determines the line. A footnote number at its start is raised.
        ...(size > last.size ? { y, size } : {}),
        text: last.text + text,
        right: Math.max(last.right, x + width),
      };
      exponent = isExponent ? run : undefined;
    }
    isSpaced = /\s$/.test(str);
  }
  return segments;
}

/** Minimum overlap of two numbers that are labels of their own, in font sizes. Parts of one number do not overlap. */
const LABELS_OVERLAP = 0.1;

function isNextLabel(text: string, next: string, gap: number): boolean {
  return gap < -LABELS_OVERLAP && /\p{N}$/u.test(text) && /^\p{N}/u.test(next);
}

/** Maximum font size and minimum rise of a superscript, as shares of the line's font size. */
const SUPERSCRIPT_SIZE = 0.8;
const SUPERSCRIPT_RISE = 0.2;

/** Whether a run is a superscript: an exponent or a footnote number, not part of the word or number before it. */
function isSuperscript(line: Pick<Segment, 'y' | 'size'>, run: TextRun): boolean {
  return run.size <= line.size * SUPERSCRIPT_SIZE && run.y - line.y >= line.size * SUPERSCRIPT_RISE;
}

/** Whether a run is a subscript below an exponent. Without a mark it would continue the exponent. */
function isBelow(exponent: TextRun, run: TextRun): boolean {
  return run.x < exponent.x + exponent.width / 2 && run.y < exponent.y - SUPERSCRIPT_RISE * exponent.size;
}
