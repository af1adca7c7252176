import { isOverlapping, SENTENCE_END } from './prose.js';
import { joinedLines } from '../hyphens.js';
import { justifiedLines } from './justified-lines.js';
import { cellsOf, type Row } from './rows.js';
import type { Segment } from './segments.js';

/** Step from a line of a wrapped cell to the next line, in font sizes. */
const WRAPPED_STEP = 1.7;

/** Step below which two rows cannot be two lines of text, in font sizes. */
const LINE_HEIGHT = 0.9;

/** Maximum number of lines of a wrapped cell. */
const MAX_LINES = 12;

/**
 * Returns the rows of a table with one segment per cell. Joins the lines of wrapped cells: a line belongs to the row
 * above if it continues the text of some of its cells, or lies between the lines of the other cells.
 */
export function tableRows(rows: readonly Row[]): Row[] {
  const table: Row[] = [];
  let lines = 0;
  let last: Row | undefined;
  for (const row of justifiedLines(rows)) {
    const cells = cellsOf(row);
    const above = table.at(-1);
    const merged =
      above !== undefined && last !== undefined && lines < MAX_LINES
        ? wrapped(above, last, { ...row, segments: cells }, table.at(-2))
        : undefined;
    if (merged === undefined) {
      table.push({ ...row, segments: cells });
      lines = 1;
    } else {
      table[table.length - 1] = merged;
      lines += 1;
    }
    last = row;
  }
  return table;
}

/**
 * @param above the row of the table, with the lines so far
 * @param last the last line
 * @param previous the row before `above`
 * @returns the row with the line; undefined if the line is another row
 */
function wrapped(above: Row, last: Row, line: Row, previous: Row | undefined): Row | undefined {
  const step = last.y - line.y;
  if (step > WRAPPED_STEP * line.size) return undefined;
  const columns = line.segments.map((cell) => above.segments.filter((one) => isOverlapping(one, cell)));
  if (columns.some((cells) => cells.length > 1)) return undefined;
  const [isWider, isNarrower] = [
    above.segments.length > line.segments.length,
    above.segments.length < line.segments.length,
  ];
  if (step < LINE_HEIGHT * line.size) {
    const isBetween = columns.every((cells) => cells.length === 0);
    return isBetween || isWider ? withCells(above, line) : undefined;
  }
  if (areDrawnByCell(above, line, previous)) return withCells(above, line);
  if (isNarrower) {
    const [label] = above.segments;
    const [cell] = line.segments;
    const isLabel = label !== undefined && cell !== undefined && above.segments.length === 1;
    const isAlone = columns.every((cells, index) => (cells.length === 0) === index > 0);
    return isLabel && isAlone && isLowerCase(cell) && continues(label, cell)
      ? withCells(above, line)
      : undefined;
  }
  const isContinued = line.segments.every((cell, index) => {
    const [own] = columns[index] ?? [];
    return own !== undefined && continues(own, cell);
  });
  const areLowerCase = line.segments.length > 1 && line.segments.every(isLowerCase);
  return isContinued && (isWider || areLowerCase) ? withCells(above, line) : undefined;
}

/** Whether a table was drawn cell by cell, and the line belongs to cells of the row above. */
function areDrawnByCell(above: Row, line: Row, previous: Row | undefined): boolean {
  if (previous === undefined || previous.segments.length < 2 || above.segments.length < 2) return false;
  const end = Math.max(...previous.segments.map(({ lastOrder }) => lastOrder));
  const start = Math.min(...above.segments.map(({ order }) => order));
  return (
    start === end + 1 &&
    line.segments.every((cell) =>
      above.segments.some((own) => isOverlapping(own, cell) && cell.order === own.lastOrder + 1),
    )
  );
}

/**
 * Whether a line continues the text of a cell. Without capital letters, the drawing order shows it: the lines of a cell
 * are drawn one after the other.
 */
function continues(cell: Segment, line: Segment): boolean {
  if (SENTENCE_END.test(cell.text)) return false;
  return isLowerCase(line) || (/^\p{Lo}/u.test(line.text) && line.order === cell.lastOrder + 1);
}

function isLowerCase({ text }: Segment): boolean {
  return /^[\p{Ps}\p{Pi}"']*\p{Ll}/u.test(text);
}

function withCells(row: Row, line: Row): Row {
  const segments = [...row.segments];
  for (const cell of line.segments) {
    const at = segments.findIndex((one) => isOverlapping(one, cell));
    const own = segments[at];
    if (own === undefined) segments.push(cell);
    else
      segments[at] = {
        ...own,
        text: joinedLines(own.text, cell.text),
        left: Math.min(own.left, cell.left),
        right: Math.max(own.right, cell.right),
        lastOrder: cell.lastOrder,
      };
  }
  return { ...row, segments: segments.sort((a, b) => a.left - b.left) };
}
