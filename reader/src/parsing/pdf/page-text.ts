import { raised } from '../notation.js';

/** A run of glyphs, in PDF units (1/72 inch), y upwards. */
export interface TextRun {
  readonly str: string;
  readonly x: number;
  /** Y of the baseline. */
  readonly y: number;
  readonly width: number;
  /** Font size. */
  readonly size: number;
}

/** A part of a line without a column gap. */
interface Segment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

interface Line {
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly size: number;
}

/** In font sizes: minimum width of a space, and of a gap between columns. */
const SPACE = 0.15;
const COLUMN_GAP = 1.5;

/** Maximum baseline distance of runs in one line, in font sizes; allows for subscripts and superscripts. */
const SAME_LINE = 0.5;

/** Line step, in font sizes, above which a paragraph starts. */
const PARAGRAPH_STEP = 1.7;

/** Relative change of the font size above which a paragraph starts. */
const OTHER_SIZE = 0.15;

/**
 * Returns the text of a page in drawing order. Columns of prose are read one after another, even if they were drawn
 * line by line across all columns. Cells are separated by two spaces, paragraphs by a blank line.
 */
export function textOfPage(runs: readonly TextRun[]): string {
  const lines = inColumns(linesOf(runs));
  return lines
    .map((line, index) => joint(lines[index - 1], line) + line.segments.map(({ text }) => text).join('  '))
    .join('');
}

function linesOf(runs: readonly TextRun[]): Line[] {
  const lines: Line[] = [];
  let isSpaced = false;
  for (const { str, x, y, width, size } of runs) {
    if (str.trim() === '') {
      isSpaced ||= str !== '';
      continue;
    }
    const line = lines.at(-1);
    const last = line?.segments.at(-1);
    const run = { text: str.trim(), left: x, right: x + width };
    const gap = last === undefined ? 0 : x - last.right;
    if (line === undefined || last === undefined || !areNear(line, { y, size }) || gap <= -size) {
      lines.push({ segments: [run], y, size });
    } else if (gap > size * COLUMN_GAP) {
      lines[lines.length - 1] = { ...line, segments: [...line.segments, run] };
    } else {
      const space = isSpaced || gap > size * SPACE || /^\s/.test(str) ? ' ' : '';
      const own =
        isSuperscript(line, { y, size }) && /\d$/.test(last.text) ? raised(run.text) : space + run.text;
      const joined = { ...last, text: last.text + own, right: Math.max(last.right, run.right) };
      lines[lines.length - 1] = { ...line, segments: [...line.segments.slice(0, -1), joined] };
    }
    isSpaced = /\s$/.test(str);
  }
  return lines;
}

/** Maximum font size and minimum rise of a superscript, as shares of the line's font size. */
const SUPERSCRIPT_SIZE = 0.8;
const SUPERSCRIPT_RISE = 0.2;

/**
 * Whether a run is a superscript. A superscript after a digit is an exponent or a footnote number, not part of the
 * number.
 */
function isSuperscript(line: Pick<Line, 'y' | 'size'>, run: Pick<Line, 'y' | 'size'>): boolean {
  return run.size <= line.size * SUPERSCRIPT_SIZE && run.y - line.y >= line.size * SUPERSCRIPT_RISE;
}

function areNear(a: Pick<Line, 'y' | 'size'>, b: Pick<Line, 'y' | 'size'>): boolean {
  return Math.abs(a.y - b.y) <= Math.max(a.size, b.size) * SAME_LINE;
}

/** Minimum number of lines in a two-column layout, and minimum fill of most lines. Wrapped text fills its lines. */
const MIN_LINES = 6;
const FULL_WIDTH = 0.7;
const FULL_CHARACTERS = 20;

function inColumns(lines: readonly Line[]): readonly Line[] {
  const pairs = lines.filter(({ segments }) => segments.length === 2);
  const [left, right] = [0, 1].map((side) => pairs.flatMap(({ segments }) => segments[side] ?? []));
  if (pairs.length < MIN_LINES || pairs.length < lines.length / 2) return lines;
  if (left === undefined || right === undefined || !isProse(left) || !isProse(right)) return lines;
  const gutter = Math.max(...left.map((segment) => segment.right));
  if (right.some((segment) => segment.left <= gutter)) return lines;
  const ordered: Line[] = [];
  let beside: Line[] = [];
  for (const line of lines) {
    const isAcross = line.segments.some((segment) => segment.left <= gutter && segment.right > gutter);
    const ofRight = line.segments.filter((segment) => segment.left > gutter);
    const ofLeft = line.segments.filter((segment) => segment.left <= gutter);
    if (isAcross) ordered.push(...beside.splice(0), line);
    else if (ofLeft.length > 0) ordered.push({ ...line, segments: ofLeft });
    if (!isAcross && ofRight.length > 0) beside = [...beside, { ...line, segments: ofRight }];
  }
  return [...ordered, ...beside];
}

function isProse(segments: readonly Segment[]): boolean {
  const widths = segments.map(({ left, right }) => right - left);
  const least = Math.max(...widths) * FULL_WIDTH;
  const full = segments.filter(
    ({ text }, at) => text.length >= FULL_CHARACTERS && (widths[at] ?? 0) >= least,
  );
  return full.length >= segments.length / 2;
}

function joint(before: Line | undefined, line: Line): string {
  if (before === undefined) return '';
  const step = before.y - line.y;
  const size = Math.max(before.size, line.size);
  const isSameSize = Math.abs(before.size - line.size) <= size * OTHER_SIZE;
  return isSameSize && step >= 0 && step <= size * PARAGRAPH_STEP ? '\n' : '\n\n';
}
