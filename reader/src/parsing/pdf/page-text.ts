import { SENTENCE_END } from './layout/prose.js';
import { inReadingOrder } from './layout/reading-order.js';
import { PARAGRAPH_STEP, type Row } from './layout/rows.js';
import { segmentsOf, type TextRun } from './layout/segments.js';
import { byDirection } from './layout/directions.js';

/** Relative change of the font size above which a paragraph starts. */
const OTHER_SIZE = 0.15;

/** Matches soft hyphens that break no word. A viewer shows nothing in their place. */
const INNER_SOFT_HYPHENS = /\u00ad(?!$)/g;

/** A line of a page as it is read. */
export interface TextLine {
  readonly text: string;
  /** Line ends before the text: none at the start of a page, one in a paragraph, two between paragraphs. */
  readonly before: '' | '\n' | '\n\n';
  readonly left: number;
  readonly right: number;
  /** Y of the baseline; in the frame of the line's own direction. */
  readonly y: number;
  readonly size: number;
  /** Direction of the line, as in {@link TextRun}. */
  readonly angle: number;
}

export function joinLines(lines: readonly Pick<TextLine, 'text' | 'before'>[]): string {
  return lines.map(({ text, before }, index) => (index === 0 ? text : before + text)).join('');
}

/**
 * Returns the lines of an upright page as a person reads them. Cells are separated by two spaces. Text in another
 * direction follows the upright text.
 */
export function linesOfPage(runs: readonly TextRun[]): TextLine[] {
  return byDirection(runs).flatMap(({ angle, upright }, part) => {
    const rows = inReadingOrder(segmentsOf(upright));
    return rows.map((row, index): TextLine => {
      const { segments, y, size } = row;
      return {
        text: segments
          .map(({ text }) => text)
          .join('  ')
          .replace(INNER_SOFT_HYPHENS, ''),
        before: index > 0 ? joint(rows[index - 1], row) : part > 0 ? '\n\n' : '',
        left: segments[0]?.left ?? 0,
        right: Math.max(...segments.map(({ right }) => right)),
        y,
        size,
        angle,
      };
    });
  });
}

function joint(before: Row | undefined, row: Row): TextLine['before'] {
  if (before === undefined) return '';
  const step = before.y - row.y;
  const size = Math.max(before.size, row.size);
  const isSameSize = Math.abs(before.size - row.size) <= size * OTHER_SIZE;
  if (!isSameSize) return '\n\n';
  if (step < 0) return isContinued(before, row) ? '\n' : '\n\n';
  return step <= size * PARAGRAPH_STEP ? '\n' : '\n\n';
}

/** Whether a sentence continues at the top of the next column. */
function isContinued(before: Row, row: Row): boolean {
  const last = before.segments.at(-1)?.text ?? '';
  return !SENTENCE_END.test(last) && /^\p{Ll}/u.test(row.segments[0]?.text ?? '');
}
