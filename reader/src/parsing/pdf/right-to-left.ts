import bidiFactory, { type Bidi } from 'bidi-js';
import type { Glyph } from './page-glyphs.js';
import type { TextRun } from './layout/segments.js';

// The type declarations of bidi-js are wrong: its default export is the factory.
const bidi = (bidiFactory as unknown as () => Bidi)();

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const EVERY_RIGHT_TO_LEFT = new RegExp(RIGHT_TO_LEFT, 'g');
const PRESENTATION_FORMS = /[\ufb1d-\ufdff\ufe70-\ufefc]+/g;

/** Matches presentation forms of several letters. PDFium expands them in logical order. */
const LIGATURE_FORMS = /[\ufbea-\ufdfd\ufef5-\ufefc]/;
const REVERSED_LAM_ALEF = /^[\u0622\u0623\u0625\u0627]\u0644$/;

/** Thresholds in font sizes: distance of baselines in a line, width of a space, and gap between columns. */
const SAME_LINE = 0.5;
const SPACE = 0.2;
const COLUMN_GAP = 1.5;

/** The letters of one glyph in logical order, with the marks above and below them. */
interface Cluster {
  text: string;
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly right: number;
  readonly size: number;
  readonly word: number;
}

/** Whether a page has characters of a right-to-left script. */
export function hasRightToLeft(runs: readonly TextRun[]): boolean {
  return runs.some(({ str }) => RIGHT_TO_LEFT.test(str));
}

/** Whether most letters of a page belong to a right-to-left script. */
export function isRightToLeft(runs: readonly TextRun[]): boolean {
  const text = runs.map(({ str }) => str).join('');
  return 2 * (text.match(EVERY_RIGHT_TO_LEFT)?.length ?? 0) > (text.match(/\p{L}/gu)?.length ?? 0);
}

/** Mirrors a page, so that the rules for left-to-right pages determine the order of its columns, cells and values. */
export function mirrored(runs: readonly TextRun[]): TextRun[] {
  return runs.map((run) => ({ ...run, x: -(run.x + run.width) }));
}

/**
 * Returns the text of glyphs in logical order, one run for each cell of a line. Libraries order each drawn run
 * separately; this function applies the bidirectional algorithm (UAX #9) to the visual order of a whole cell.
 * @param runs text of the same page from pdf.js
 */
export function logicalRuns(glyphs: readonly Glyph[], runs: readonly TextRun[]): TextRun[] {
  const isExpanded = runs.some(({ str }) => LIGATURE_FORMS.test(str));
  const isPageRightToLeft = isRightToLeft(runs);
  return linesOf(clustersOf(glyphs, isExpanded))
    .flatMap((line) => {
      const cells = cellsOf(line);
      return isPageRightToLeft ? cells.reverse() : cells;
    })
    .map((cell) => runOf(cell, isPageRightToLeft))
    .filter(({ str }) => str !== '');
}

function clustersOf(glyphs: readonly Glyph[], isExpanded: boolean): Cluster[] {
  const clusters: Cluster[] = [];
  for (const { character, ...place } of glyphs) {
    const last = clusters.at(-1);
    if (last?.x !== place.x || last.y !== place.y || isMark(character) || isMark(last.text)) {
      clusters.push({ text: character, ...place });
      continue;
    }
    const inLogicalOrder = character + last.text;
    const isReversed = RIGHT_TO_LEFT.test(character) && !isExpanded;
    last.text =
      isReversed || REVERSED_LAM_ALEF.test(last.text + character) ? inLogicalOrder : last.text + character;
  }
  return clusters;
}

function isMark(text: string): boolean {
  return /^\p{M}/u.test(text);
}

function linesOf(clusters: readonly Cluster[]): Cluster[][] {
  const lines: Cluster[][] = [];
  for (const cluster of clusters) {
    const line = lines.at(-1);
    const first = line?.[0];
    const isNear =
      first !== undefined && Math.abs(first.y - cluster.y) <= Math.max(first.size, cluster.size) * SAME_LINE;
    if (line !== undefined && isNear) line.push(cluster);
    else lines.push([cluster]);
  }
  return lines;
}

/** Splits a line into cells from left to right, inserts spaces, and appends each mark to its letter. */
function cellsOf(line: readonly Cluster[]): Cluster[][] {
  const cells: Cluster[][] = [];
  let right = 0;
  for (const cluster of [...line].sort((a, b) => positionOf(a) - positionOf(b))) {
    const cell = cells.at(-1);
    const last = cell?.at(-1);
    if (cell === undefined || last === undefined) {
      cells.push([{ ...cluster }]);
      right = cluster.right;
      continue;
    }
    if (isMark(cluster.text)) {
      last.text += cluster.text;
      continue;
    }
    const gap = cluster.left - right;
    if (gap > COLUMN_GAP * cluster.size) cells.push([{ ...cluster }]);
    else if (last.word !== cluster.word && gap > SPACE * cluster.size)
      cell.push({ ...cluster, text: ' ' }, { ...cluster });
    else cell.push({ ...cluster });
    right = Math.max(right, cluster.right);
  }
  return cells;
}

/** Sorts a letter by its origin, and a mark by its centre, which is above or below the letter. */
function positionOf({ text, x, left, right }: Cluster): number {
  return isMark(text) ? (left + right) / 2 : x;
}

function runOf(cell: readonly Cluster[], isPageRightToLeft: boolean): TextRun {
  const visual = cell.map(({ text }) => text.charAt(0)).join('');
  const isCellRightToLeft = isPageRightToLeft || RIGHT_TO_LEFT.test(visual);
  const levels = bidi.getEmbeddingLevels(visual, isCellRightToLeft ? 'rtl' : 'ltr');
  const order = bidi.getReorderedIndices(visual, levels);
  const str = order
    .map((index) => cell[index]?.text ?? '')
    .join('')
    .replace(/ +/g, ' ')
    .trim();
  const left = cell[0]?.left ?? 0;
  const last = cell.at(-1);
  return {
    str: (RIGHT_TO_LEFT.test(str) ? withBracketsTurned(str) : str).replace(PRESENTATION_FORMS, (forms) =>
      forms.normalize('NFKC'),
    ),
    x: left,
    y: last?.y ?? 0,
    width: (last?.right ?? left) - left,
    size: last?.size ?? 0,
  };
}

const PAIRS = ['()', '[]', '{}', '«»', '‹›'];
const MIRRORS = new Map(
  PAIRS.flatMap(([open = '', close = '']) => [[open, close] as const, [close, open] as const]),
);
const OPENING = new Set(PAIRS.map((pair) => pair.charAt(0)));

/**
 * Mirrors brackets that face the wrong way. In right-to-left text, some producers store the bracket as it looks on the
 * page, and others store the logical character, which is its mirror image. Only the neighbouring characters show the
 * difference.
 */
function withBracketsTurned(text: string): string {
  return text.replace(/[()[\]{}«»‹›]/g, (bracket, at: number) => {
    const isAfterSpace = at === 0 || /\s/.test(text.charAt(at - 1));
    const isBeforeSpace = at === text.length - 1 || /[\s.,;:!?،؛؟]/.test(text.charAt(at + 1));
    if (isAfterSpace === isBeforeSpace) return bracket;
    return OPENING.has(bracket) === isAfterSpace ? bracket : (MIRRORS.get(bracket) ?? bracket);
  });
}
