/** A run of glyphs, in PDF units (1/72 inch), y upwards. */
export interface TextRun {
  readonly str: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Of the font. */
  readonly size: number;
}

/** A piece of a line without a gap as wide as between columns. */
export interface Segment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Of the baseline. */
  readonly y: number;
  readonly size: number;
}

/** In sizes of the font: from here on a gap is a space, and from there on one between columns. */
const SPACE = 0.15;
const COLUMN_GAP = 1.5;

/** Runs this near, in sizes of the font, stand on one line: indices and exponents are set off a little. */
const SAME_LINE = 0.5;

export function onOneLine(a: { y: number; size: number }, b: { y: number; size: number }): boolean {
  return Math.abs(a.y - b.y) <= Math.max(a.size, b.size) * SAME_LINE;
}

/** Joins runs that follow one another on a line, in the order in which the page draws them. */
export function segmentsOf(runs: readonly TextRun[]): Segment[] {
  const segments: Segment[] = [];
  let open: Segment | undefined;
  let spaced = false;
  for (const { str, x, y, width, size } of runs) {
    if (str.trim() === '') {
      spaced ||= str !== '';
      continue;
    }
    const gap = open === undefined ? 0 : x - open.right;
    const run = { text: str, left: x, right: x + width, y, size };
    if (open !== undefined && onOneLine(open, run) && gap > -size && gap <= size * COLUMN_GAP) {
      const space = (spaced || gap > size * SPACE) && !/\s$/.test(open.text) && !/^\s/.test(str) ? ' ' : '';
      open = { ...open, text: open.text + space + str, right: Math.max(open.right, run.right) };
      segments[segments.length - 1] = open;
    } else {
      open = run;
      segments.push(run);
    }
    spaced = false;
  }
  return segments.map((segment) => ({ ...segment, text: segment.text.trim() }));
}
