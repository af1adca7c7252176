import { inReadingOrder } from './reading-order.js';
import { onOneLine, segmentsOf, type Segment } from './segments.js';
import type { TextRun } from './text-run.js';

interface Line extends Segment {
  /** Holds a gap as wide as between the columns of a table. */
  readonly tabular: boolean;
}

/** A line step larger than this many sizes of the font ends a paragraph. */
const PARAGRAPH_STEP = 1.7;

/** So does a change of size by more than this part. */
const OTHER_SIZE = 0.15;

/** A line that ends this near to the right edge of its column, as part of the width, goes on in the next. */
const RIGHT_MARGIN = 0.15;

const ITEM = /^(?:[-•‣▪●○–*☐☒]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s/;

/** The text of one page: runs become lines, wrapped lines are joined, paragraphs stand apart by a blank line. */
export function textOfPage(runs: readonly TextRun[]): string {
  const lines = linesOf(inReadingOrder(segmentsOf(runs)));
  let text = '';
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before !== undefined) text += joint(before, line, fullFrom(lines, index));
    text += line.text;
  }
  return text;
}

/** Segments that follow one another on the same baseline are one line with gaps. */
function linesOf(segments: readonly Segment[]): Line[] {
  const lines: Line[] = [];
  for (const segment of segments) {
    const line = lines.at(-1);
    if (line !== undefined && onOneLine(line, segment) && segment.left > line.right) {
      lines[lines.length - 1] = {
        ...line,
        text: `${line.text}  ${segment.text}`,
        right: segment.right,
        tabular: true,
      };
    } else lines.push({ ...segment, tabular: false });
  }
  return lines;
}

function joint(before: Line, line: Line, full: number): string {
  const step = before.y - line.y;
  const size = Math.max(before.size, line.size);
  const continues =
    step >= 0 && step <= size * PARAGRAPH_STEP && Math.abs(before.size - line.size) <= size * OTHER_SIZE;
  if (!continues) return '\n\n';
  const wraps = before.right >= full && !before.tabular && !line.tabular && !ITEM.test(line.text);
  return wraps ? ' ' : '\n';
}

/** Lines around a line that say how wide its column is. */
const NEIGHBOURS = 12;

/** From which right edge on the line before `index` is full, so that its sentence goes on. */
function fullFrom(lines: readonly Line[], index: number): number {
  const before = lines[index - 1];
  if (before === undefined) return Infinity;
  const column = lines
    .slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS)
    .filter((line) => line.left < before.right && line.right > before.left && !line.tabular);
  const left = column.reduce((least, line) => Math.min(least, line.left), before.left);
  const right = column.reduce((most, line) => Math.max(most, line.right), before.right);
  return right - (right - left) * RIGHT_MARGIN;
}
