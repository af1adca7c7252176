import { turned } from './layout/directions.js';
import { medianOf } from './layout/rows.js';
import type { TextRun } from './layout/segments.js';
import type { Glyph } from './page-glyphs.js';
import type { PageObject } from './page-objects.js';
import { containsCentre, type PageRectangle } from './page-rectangle.js';
import type { PageEdges } from './upright-page.js';

/** Matches what may be labels that stand close to each other: `222324`, `0.10.20.3`, `JanFebMar`. */
const MAY_BE_LABELS = /\p{N}{6}|\p{N}[.,]\p{N}+[.,]\p{N}+[.,]\p{N}|(?:\p{Lu}\p{Ll}{1,9}){3}/u;

/** Maximum number of runs that are examined. The work is their number times that of the glyphs. */
const MAX_RUNS = 100;

const NUMBER = /^[+\-−–]?\p{N}[\p{N}.,]*%?$/u;
const NAME = /^\p{Lu}\p{Ll}+\.?$/u;

/** Minimum number of labels of an axis. Two numbers are apart if there is a gap. */
const MIN_LABELS = 3;

/** In font sizes: gap between two numbers, deviation of equal distances, baseline distance, overlap with the run before. */
const GAP = 0.05;
const SAME_DISTANCE = 0.15;
const BASELINE = 0.2;
const OVERLAP = 0.1;
const SAME_ANGLE = 1;

/** A number with separators of thousands: 1,000,000. */
const THOUSANDS = /(?<![\p{N}.,])\p{N}{1,3}(?:([.,])\p{N}{3})(?:\1\p{N}{3})*(?!\p{N})/gu;

function mayBeLabels({ str }: TextRun): boolean {
  return MAY_BE_LABELS.test(str) && MAY_BE_LABELS.test(str.replace(THOUSANDS, ''));
}

/**
 * Whether a page may have labels without a space between them, so that its glyphs must be read: several text objects draw
 * one run.
 *
 * @param edges edges of the upright page, in the units of the runs
 */
export function mayHaveCloseLabels(
  runs: readonly TextRun[],
  objects: readonly PageObject[],
  edges: PageEdges,
): boolean {
  const places = runs
    .filter(mayBeLabels)
    .slice(0, MAX_RUNS)
    .map((run) => placeOf(run, edges));
  return places.some((place) => {
    let inside = 0;
    for (const object of objects) {
      if (object.kind === 'text' && containsCentre(place, object)) inside += 1;
      if (inside > 1) return true;
    }
    return false;
  });
}

function placeOf({ x, y, width, size, angle = 0 }: TextRun, edges: PageEdges): PageRectangle {
  const radians = (angle * Math.PI) / 180;
  const [endX, endY] = [x + width * Math.cos(radians), y + width * Math.sin(radians)];
  const [across, down] = [edges.right - edges.left, edges.top - edges.bottom];
  return {
    left: (Math.min(x, endX) - size - edges.left) / across,
    top: (edges.top - Math.max(y, endY) - size) / down,
    width: (Math.abs(endX - x) + 2 * size) / across,
    height: (Math.abs(endY - y) + 2 * size) / down,
  };
}

/**
 * Separates the labels of an axis that stand so close that they look like one word. Each of them was drawn on its own,
 * unlike the parts of a number.
 *
 * @param glyphs glyphs of the page, with their text objects
 * @param rotation rotation of the page in degrees, by which the runs are turned
 */
export function withLabelsApart(
  runs: readonly TextRun[],
  glyphs: readonly Glyph[],
  rotation: number,
): readonly TextRun[] {
  let examined = 0;
  return runs.map((run) => {
    if (examined >= MAX_RUNS || !mayBeLabels(run)) return run;
    examined += 1;
    const own = glyphsOf(turned(run, rotation), glyphs);
    return own.length === run.str.replace(/\s/g, '').length ? { ...run, str: apart(run, own) } : run;
  });
}

function glyphsOf(run: TextRun, glyphs: readonly Glyph[]): readonly Glyph[] {
  const angle = run.angle ?? 0;
  const { x, y } = turned(run, -angle);
  const isOwn = (glyph: Glyph): boolean =>
    glyph.character.trim() !== '' &&
    Math.abs(glyph.y - y) <= run.size * BASELINE &&
    glyph.x >= x - run.size * OVERLAP &&
    glyph.x < x + run.width &&
    isSameAngle(glyph.angle, angle);
  return glyphs.filter(isOwn);
}

function isSameAngle(a: number, b: number): boolean {
  const difference = Math.abs(a - b) % 360;
  return Math.min(difference, 360 - difference) < SAME_ANGLE;
}

/** A text that was drawn on its own. */
interface Label {
  readonly text: string;
  /** Position of its first glyph. */
  readonly from: number;
  readonly left: number;
  /** End of the last glyph with its white space. */
  readonly right: number;
}

function apart(run: TextRun, glyphs: readonly Glyph[]): string {
  const labels = labelsOf(run, glyphs);
  const areNames = labels.length >= MIN_LABELS && labels.every(({ text }) => NAME.test(text));
  const starts = new Set<number>();
  for (const [index, label] of labels.entries()) {
    const before = labels[index - 1];
    if (before !== undefined && (areNames || areNumbersApart(labels, index, run.size)))
      starts.add(label.from);
  }
  let at = -1;
  return run.str.replace(/\S/g, (character) => {
    at += 1;
    return starts.has(at) ? ` ${character}` : character;
  });
}

function labelsOf(run: TextRun, glyphs: readonly Glyph[]): Label[] {
  const visible = run.str.replace(/\s/g, '');
  const steps = glyphs.slice(1).flatMap((glyph, index) => {
    const before = glyphs[index];
    return before !== undefined && before.object === glyph.object && isDigit(visible[index])
      ? [glyph.x - before.x]
      : [];
  });
  const digit = medianOf(steps);
  const labels: Label[] = [];
  let from = 0;
  for (let to = 1; to <= glyphs.length; to += 1) {
    const [first, last] = [glyphs[from], glyphs[to - 1]];
    if (first === undefined || last === undefined || glyphs[to]?.object === first.object) continue;
    const right = digit > 0 && isDigit(visible[to - 1]) ? last.x + digit : last.right;
    labels.push({ text: visible.slice(from, to), from, left: first.x, right });
    from = to;
  }
  return labels;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && /\p{N}/u.test(character);
}

/** Whether a number is apart from the number before. */
function areNumbersApart(labels: readonly Label[], index: number, size: number): boolean {
  const [before, label] = [labels[index - 1], labels[index]];
  if (before === undefined || label === undefined) return false;
  if (!NUMBER.test(before.text) || !NUMBER.test(label.text)) return false;
  const isLong = before.text.length + label.text.length > 2;
  if (isLong && label.left - before.right > GAP * size) return true;
  return [index - 2, index - 1].some((at) => isAxis(labels.slice(Math.max(0, at), at + MIN_LABELS), size));
}

/** Whether three numbers have equal differences and equal distances: 10, 20, 30. Single digits may be of one number. */
function isAxis([a, b, c]: readonly Label[], size: number): boolean {
  if (a === undefined || b === undefined || c === undefined) return false;
  return [a, b, c].some(({ text }) => text.length > 1) && areEven(a, b, c, size);
}

function areEven(a: Label, b: Label, c: Label, size: number): boolean {
  const [first, second] = [valueOf(b) - valueOf(a), valueOf(c) - valueOf(b)];
  if (first === 0 || !(Math.abs(first - second) < 1e-9 * Math.max(1, Math.abs(first)))) return false;
  const isEven = (place: (label: Label) => number): boolean =>
    Math.abs(place(c) - 2 * place(b) + place(a)) <= SAME_DISTANCE * size;
  return (
    isEven(({ left }) => left) || isEven(({ right }) => right) || isEven(({ left, right }) => left + right)
  );
}

function valueOf({ text }: Label): number {
  return Number(text.replace(/[−–]/, '-').replace(/%$/, '').replace(',', '.'));
}
