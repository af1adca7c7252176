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

/** Gap between words, in font sizes. */
const SPACE = 0.25;

/** Letter spacing: minimum gap in font sizes, minimum number of letters, gap between words in gaps between letters. */
const SPACED = 0.15;
const MIN_LETTERS = 4;
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
  return glyphs.filter(({ character, x, y, size, angle }) => {
    if (character.trim() === '') return true;
    return drawn.add(`${Math.round(angle)} ${character}`, x, y, size);
  });
}

function isNext(last: Glyph, glyph: Glyph): boolean {
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

function runOf(strip: readonly Glyph[]): TextRun | undefined {
  const letters = strip.filter(({ character }) => character.trim() !== '');
  const [first] = letters;
  if (first === undefined) return undefined;
  const gap = letterGap(letters);
  const wordGap = gap === undefined ? SPACE * first.size : gap * WORD_GAP;
  let str = '';
  let before: Glyph | undefined;
  let isSpaced = false;
  for (const glyph of strip) {
    if (glyph.character.trim() === '') {
      isSpaced = gap === undefined;
      continue;
    }
    const isWide = before !== undefined && glyph.left - before.right > wordGap;
    const isOtherWord = gap === undefined && before !== undefined && before.word !== glyph.word;
    if (str !== '' && (isWide || isSpaced || isOtherWord)) str += ' ';
    str += glyph.character;
    before = glyph;
    isSpaced = false;
  }
  const { x, y, size, angle } = first;
  const width = Math.max(...letters.map(({ right }) => right)) - x;
  return turned({ str, x, y, width, size }, angle);
}

/** Typical gap of letter-spaced text; undefined if the text is not letter-spaced. */
function letterGap(letters: readonly Glyph[]): number | undefined {
  if (letters.length < MIN_LETTERS) return undefined;
  if (!letters.every(({ character }) => /[\p{L}\p{P}&]/u.test(character))) return undefined;
  const gaps = letters.slice(1).map((glyph, index) => glyph.left - (letters[index]?.right ?? 0));
  const typical = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  return typical > SPACED * (letters[0]?.size ?? 0) ? typical : undefined;
}
