/** A run of glyphs, in PDF units (1/72 inch), y upwards. */
export interface TextRun {
  readonly str: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
}

interface Line {
  text: string;
  readonly x: number;
  readonly y: number;
  right: number;
  readonly size: number;
  /** Holds a gap as wide as between the columns of a table. */
  tabular: boolean;
}

/** In sizes of the font: from here on a gap is a space, and from there on one between columns. */
const SPACE = 0.15;
const COLUMN_GAP = 1.5;
/** Runs this near, in sizes of the font, stand on one line: indices and exponents are set off a little. */
const SAME_LINE = 0.5;
/** A line step larger than this many sizes ends a paragraph. */
const PARAGRAPH_STEP = 1.6;
/** A line that ends this near to the right edge of the text, as part of its width, goes on in the next. */
const RIGHT_MARGIN = 0.12;

const ITEM = /^(?:[-•‣▪●○–*]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s/;

/** The text of one page: runs become lines, wrapped lines are joined, paragraphs stand apart by a blank line. */
export function textOfPage(runs: readonly TextRun[]): string {
  const lines = linesOf(runs);
  const left = Math.min(...lines.map(({ x }) => x));
  const right = Math.max(...lines.map((line) => line.right));
  let text = '';
  let before: Line | undefined;
  for (const line of lines) {
    if (before !== undefined) text += joint(before, line, right - (right - left) * RIGHT_MARGIN);
    text += line.text;
    before = line;
  }
  return text;
}

function linesOf(runs: readonly TextRun[]): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  for (const { str, x, y, width, size } of runs) {
    if (str.trim() === '') {
      if (line !== undefined && str !== '' && Math.abs(y - line.y) <= line.size * SAME_LINE) line.text += ' ';
      continue;
    }
    const gap = line === undefined ? 0 : x - line.right;
    if (line !== undefined && Math.abs(y - line.y) <= Math.max(size, line.size) * SAME_LINE && gap > -size) {
      if (gap > size * COLUMN_GAP) {
        line.text = `${line.text.trimEnd()}  `;
        line.tabular = true;
      } else if (gap > size * SPACE && !/\s$/.test(line.text)) line.text += ' ';
      line.text += str;
      line.right = Math.max(line.right, x + width);
    } else {
      line = { text: str, x, y, right: x + width, size, tabular: false };
      lines.push(line);
    }
  }
  return lines.map((each) => ({ ...each, text: each.text.trim() }));
}

function joint(before: Line, line: Line, fullFrom: number): string {
  const step = before.y - line.y;
  const size = Math.max(before.size, line.size);
  if (step < 0 || step > size * PARAGRAPH_STEP || Math.abs(before.size - line.size) > size * 0.15)
    return '\n\n';
  const wraps = before.right >= fullFrom && !before.tabular && !line.tabular && !ITEM.test(line.text);
  return wraps ? ' ' : '\n';
}
