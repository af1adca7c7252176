import {
  ANY_CHARACTER,
  complement,
  LAST_CODE_POINT,
  setOf,
  type CharacterSet,
  type Range,
} from './character-set.js';

const DIGIT = setOf([[0x30, 0x39]]);
const UPPER = setOf([[0x41, 0x5a]]);
const LOWER = setOf([[0x61, 0x7a]]);
const ALPHA = setOf([...UPPER, ...LOWER]);
const ALNUM = setOf([...DIGIT, ...ALPHA]);
const WORD = setOf([...ALNUM, [0x5f, 0x5f]]);
const ASCII = setOf([[0, 0x7f]]);

/** `\d`, `\s`, `\w`: ASCII only, as RE2 has them. */
export const PERL_SETS: Readonly<Record<string, CharacterSet>> = {
  d: DIGIT,
  s: setOf([
    [0x09, 0x0a],
    [0x0c, 0x0d],
    [0x20, 0x20],
  ]),
  w: WORD,
};

/** `[:name:]` inside a class. */
export const POSIX_SETS: Readonly<Record<string, CharacterSet>> = {
  alnum: ALNUM,
  alpha: ALPHA,
  ascii: ASCII,
  blank: setOf([
    [0x09, 0x09],
    [0x20, 0x20],
  ]),
  cntrl: setOf([
    [0, 0x1f],
    [0x7f, 0x7f],
  ]),
  digit: DIGIT,
  graph: setOf([[0x21, 0x7e]]),
  lower: LOWER,
  print: setOf([[0x20, 0x7e]]),
  punct: setOf([
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ]),
  space: setOf([
    [0x09, 0x0d],
    [0x20, 0x20],
  ]),
  upper: UPPER,
  word: WORD,
  xdigit: setOf([
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ]),
};

const unicodeSets = new Map<string, CharacterSet>();

/**
 * The set of `\p{name}`: a general category or a script.
 * @throws SyntaxError for a name that is neither.
 */
export function unicodeSet(name: string): CharacterSet {
  const known = unicodeSets.get(name) ?? readUnicodeSet(name);
  unicodeSets.set(name, known);
  return known;
}

function readUnicodeSet(name: string): CharacterSet {
  switch (name) {
    case 'Any':
      return ANY_CHARACTER;
    case 'Ascii':
      return ASCII;
    case 'Assigned':
      return complement(unicodeSet('Cn'));
    case 'Lc':
      return unicodeSet('LC');
    default:
      return scan(propertyRuns(name));
  }
}

function propertyRuns(name: string): RegExp {
  try {
    return new RegExp(`\\p{General_Category=${name}}+`, 'gu');
  } catch {
    return new RegExp(`\\p{Script=${name}}+`, 'gu');
  }
}

/** The runs of characters that match, found by the engine in one pass over all of Unicode. */
function scan(runs: RegExp): CharacterSet {
  const ranges: Range[] = [];
  for (const { 0: run, index } of allCharacters().matchAll(runs)) {
    const end = index + run.length;
    ranges.push([codePointAt(index), codePointAt(isLowSurrogate(end - 1) ? end - 2 : end - 1)]);
  }
  return setOf(ranges);
}

let characters: string | undefined;

/** Every character in order. Surrogates are none: they would pair up, and no text has them alone. */
function allCharacters(): string {
  characters ??= Array.from({ length: (LAST_CODE_POINT + 1) / BLOCK }, (_, block) =>
    blockAt(block * BLOCK),
  ).join('');
  return characters;
}

const BLOCK = 0x800;
const SURROGATES = 0xd800;

function blockAt(start: number): string {
  if (start === SURROGATES) return '';
  return String.fromCodePoint(...Array.from({ length: BLOCK }, (_, offset) => start + offset));
}

function codePointAt(index: number): number {
  return allCharacters().codePointAt(index) ?? 0;
}

function isLowSurrogate(index: number): boolean {
  return (allCharacters().charCodeAt(index) & 0xfc00) === 0xdc00;
}
