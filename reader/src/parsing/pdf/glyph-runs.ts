import { turned } from './layout/directions.js';
import { DrawnPlaces } from './layout/drawn-places.js';
import type { TextRun } from './layout/segments.js';
import type { Glyph } from './page-glyphs.js';

/** In font sizes: baseline distance and gaps of the glyphs of a run. A letter-spaced word has wide gaps. */
const BASELINE = 0.1;
const MAX_OVERLAP = 0.5;
const MAX_GAP = 1.2;
const OTHER_SIZE = 0.05;
const OTHER_ANGLE = 1;

/** Gap between words, in font sizes, and minimum gap where PDFium begins a word. */
const SPACE = 0.5;
const MIN_SPACE = 0.2;

/**
 * Letters are spaced if the usual gap is more than `SPACED` font sizes, if there are `MIN_LETTERS` of them, and if no
 * gap is less than `TOUCHING` usual gaps. A gap of `WORD_GAP` usual gaps ends a word.
 */
const SPACED = 0.15;
const MIN_LETTERS = 4;
const TOUCHING = 0.25;
const WORD_GAP = 1.6;

/**
 * Joins glyphs to runs in drawing order. The letters of a letter-spaced word are one word, and a glyph that is drawn
 * several times is read once.
 */
export function runsOfGlyphs(glyphs: readonly Glyph[]): TextRun[] {
  const strips: Glyph[][] = [];
  for (const glyph of withoutRepeated(glyphs)) {
    const strip = strips.at(-1);
    const last = strip?.at(-1);
    if (strip !== undefined && last !== undefined && isNext(last, glyph)) strip.push(glyph);
    else strips.push([glyph]);
  }
  return strips.flatMap((strip) => runOf(strip) ?? []);
}

function withoutRepeated(glyphs: readonly Glyph[]): Glyph[] {
  const drawn = new DrawnPlaces();
  let isNew = true;
  return glyphs.filter((glyph, index) => {
    const { character, x, y, size, angle } = glyph;
    if (character.trim() === '') return true;
    if (!isOfSameGlyph(glyphs[index - 1], glyph))
      isNew = drawn.add(`${Math.round(angle)} ${character}`, x, y, size);
    return isNew;
  });
}

/** Whether two letters are one drawn glyph: a ligature, which may have a letter twice. */
function isOfSameGlyph(before: Glyph | undefined, glyph: Glyph): boolean {
  return before?.object === glyph.object && before.x === glyph.x && before.y === glyph.y;
}

function isNext(last: Glyph, glyph: Glyph): boolean {
  if (isOfSameGlyph(last, glyph)) return true;
  const size = Math.max(last.size, glyph.size);
  const gap = glyph.left - last.right;
  return (
    Math.abs(last.angle - glyph.angle) < OTHER_ANGLE &&
    Math.abs(last.size - glyph.size) <= size * OTHER_SIZE &&
    Math.abs(last.y - glyph.y) <= size * BASELINE &&
    gap >= -size * MAX_OVERLAP &&
    gap <= size * MAX_GAP
  );
}

/** A letter of a run, and whether a space or the end of a word lies before it. */
interface Letter {
  readonly glyph: Glyph;
  readonly isNewWord: boolean;
  /** Distance from the letter before. */
  readonly gap: number;
}

function runOf(strip: readonly Glyph[]): TextRun | undefined {
  const letters = lettersOf(strip);
  const first = letters[0]?.glyph;
  if (first === undefined) return undefined;
  const usual = usualGap(letters);
  const areBroken = areWordsBroken(letters, usual, first.size);
  const wordGap = areBroken ? usual * WORD_GAP : Math.max(SPACE * first.size, usual * WORD_GAP);
  const str = letters
    .map(({ glyph, isNewWord, gap }, index) => {
      const isSpaced = gap > wordGap || (isNewWord && !areBroken);
      return index > 0 && isSpaced ? ` ${glyph.character}` : glyph.character;
    })
    .join('');
  const { x, y, size, angle } = first;
  const width = Math.max(...letters.map(({ glyph }) => glyph.right)) - x;
  return turned({ str, x, y, width, size }, angle);
}

function lettersOf(strip: readonly Glyph[]): Letter[] {
  const letters: Letter[] = [];
  let isSpaced = false;
  for (const glyph of strip) {
    if (glyph.character.trim() === '') {
      isSpaced = true;
      continue;
    }
    const before = letters.at(-1)?.glyph;
    const gap = glyph.left - (before?.right ?? glyph.left);
    const isNewWord = isSpaced || (before?.word !== glyph.word && gap > MIN_SPACE * glyph.size);
    letters.push({ glyph, isNewWord, gap });
    isSpaced = false;
  }
  return letters;
}

/** Median gap between letters. The dots of a leader have other gaps. */
function usualGap(letters: readonly Letter[]): number {
  const gaps = letters.flatMap(({ glyph, gap }, index) => {
    const before = letters[index - 1]?.glyph.character;
    return before !== undefined && (before !== glyph.character || /\p{L}/u.test(before)) ? [gap] : [];
  });
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}

/**
 * Whether PDFium breaks the words of a letter-spaced text: it begins a word after a usual gap. If letters touch each other,
 * the wide gaps are spaces.
 */
function areWordsBroken(letters: readonly Letter[], usual: number, size: number): boolean {
  if (letters.length < MIN_LETTERS || usual <= SPACED * size) return false;
  if (!letters.every(({ glyph }) => /[\p{L}\p{M}\p{P}]/u.test(glyph.character))) return false;
  const others = letters.slice(1);
  return (
    others.some(({ isNewWord, gap }) => isNewWord && gap <= usual * WORD_GAP) &&
    others.every(({ gap }) => gap >= usual * TOUCHING)
  );
}
