import { complement, LAST_CODE_POINT, type CharacterSet } from './character-set.js';
import type { Assertion, Expression } from './expression.js';

/** The largest bound of a repetition in PostgreSQL. */
const LARGEST_BOUND = 255;

const ASSERTIONS: Readonly<Record<Assertion, string>> = {
  'text-start': '\\A',
  'text-end': '\\Z',
  'line-start': '^',
  'line-end': '$',
  'word-boundary': '\\y',
  'no-word-boundary': '\\Y',
};

/**
 * An expression as PostgreSQL's "advanced regular expression". `(?w)` makes `^` and `$` match at lines and leaves
 * everything else alone; characters are spelled out, so that neither flags nor the locale change what they mean.
 * Under the "C" collation `\y` is a boundary of ASCII words, as in RE2.
 * Source: PostgreSQL documentation, section 9.7.3.
 */
export function printPattern(expression: Expression): string {
  return `***:(?w)${print(expression)}`;
}

function print(expression: Expression): string {
  switch (expression.kind) {
    case 'character':
      return printSet(expression.set);
    case 'assertion':
      return ASSERTIONS[expression.assertion];
    case 'sequence':
      return expression.parts
        .map((part) => (part.kind === 'alternatives' ? group(part) : print(part)))
        .join('');
    case 'alternatives':
      return expression.parts.map(print).join('|');
    case 'repeat':
      return printRepeat(expression.part, expression.min, expression.max);
  }
}

function group(expression: Expression): string {
  return `(?:${print(expression)})`;
}

function printRepeat(part: Expression, min: number, max: number): string {
  const unit = part.kind === 'character' ? print(part) : group(part);
  if (max === Infinity) return min === 0 ? `${unit}*` : printRepeat(part, min - 1, min - 1) + `${unit}+`;
  let text = '';
  for (let least = min, most = max; most > 0; least -= LARGEST_BOUND, most -= LARGEST_BOUND) {
    const from = Math.max(0, Math.min(least, LARGEST_BOUND));
    const to = Math.min(most, LARGEST_BOUND);
    text += from === 1 && to === 1 ? unit : `${unit}{${from},${to}}`;
  }
  return text;
}

/** Repetitions use one set many times, and a class such as `\pL` is long. */
const printed = new WeakMap<CharacterSet, string>();

function printSet(set: CharacterSet): string {
  const text = printed.get(set) ?? spelledOut(set);
  printed.set(set, text);
  return text;
}

function spelledOut(set: CharacterSet): string {
  const rest = complement(set);
  if (rest.length === 0) return '.';
  const [only] = set;
  if (only === undefined) return '(?!)';
  if (set.length === 1 && only[0] === only[1]) return printCharacter(only[0]);
  return set.at(-1)?.[1] === LAST_CODE_POINT ? `[^${printRanges(rest)}]` : `[${printRanges(set)}]`;
}

function printRanges(set: CharacterSet): string {
  return set
    .map(([first, last]) =>
      first === last ? printCharacter(first) : `${printCharacter(first)}-${printCharacter(last)}`,
    )
    .join('');
}

function printCharacter(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  if (/^[0-9A-Za-z]$/.test(text)) return text;
  return codePoint > 0xffff
    ? `\\U${codePoint.toString(16).padStart(8, '0')}`
    : `\\u${codePoint.toString(16).padStart(4, '0')}`;
}
