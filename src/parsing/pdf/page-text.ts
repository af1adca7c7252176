import { inReadingOrder } from './reading-order.js';
import { onOneLine, type Segment, segmentsOf, type TextRun } from './segments.js';

interface Line extends Segment {
  /** Holds a gap as wide as between the columns of a table. */
  readonly tabular: boolean;
}

/** A line step larger than this many sizes of the font ends a paragraph. */
const PARAGRAPH_STEP = 1.7;

/** So does a change of size by more than this part. */
const OTHER_SIZE = 0.15;

const ITEM = /^(?:[-•‣▪●○–*☐☒]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s/;

/** The text of one page: runs become lines, wrapped lines are joined, paragraphs stand apart by a blank line. */
export function textOfPage(runs: readonly TextRun[]): string {
  const lines = linesOf(inReadingOrder(segmentsOf(runs)));
  return lines.map((line, index) => joint(lines, index) + line.text).join('');
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

function joint(lines: readonly Line[], index: number): string {
  const [before, line] = [lines[index - 1], lines[index]];
  if (before === undefined || line === undefined) return '';
  const step = before.y - line.y;
  const goesOn =
    step >= 0 && step <= Math.max(before.size, line.size) * PARAGRAPH_STEP && sameSize(before, line);
  return goesOn ? (wraps(lines, index) ? ' ' : '\n') : '\n\n';
}

function sameSize(a: Line, b: Line): boolean {
  return Math.abs(a.size - b.size) <= Math.max(a.size, b.size) * OTHER_SIZE;
}

/** Lines around a line that say how wide its column is. */
const NEIGHBOURS = 12;

/** Part of the width by which lines of one column differ although they are full. */
const SLACK = 0.02;

/** Whether the line before `index` ends there because the next word did not fit, so that its sentence goes on. */
function wraps(lines: readonly Line[], index: number): boolean {
  const [before, line] = [lines[index - 1], lines[index]];
  if (before === undefined || line === undefined || before.tabular || line.tabular || ITEM.test(line.text))
    return false;
  const column = lines
    .slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS)
    .filter(
      (other) =>
        other.left < before.right && other.right > before.left && !other.tabular && sameSize(other, before),
    );
  const left = column.reduce((least, other) => Math.min(least, other.left), before.left);
  const right = column.reduce((most, other) => Math.max(most, other.right), before.right);
  const [word = ''] = line.text.split(' ', 1);
  const needed = ((line.right - line.left) * (word.length + 1)) / line.text.length;
  return before.right + needed > right - (right - left) * SLACK;
}
