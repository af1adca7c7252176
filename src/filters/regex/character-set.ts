import { casedCharacters, caseVariants } from '../case-folding.js';

/** An inclusive range of code points. A set is a sorted list of disjoint ranges that do not touch. */
export type Range = readonly [first: number, last: number];

export const MAX_CODE_POINT = 0x10ffff;

/** ASCII-only classes of RE2: `[:alpha:]`, and `\d`, `\s`, `\w`. */
const ASCII: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\0-\x7f',
  blank: '\t ',
  cntrl: '\0-\x1f\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-/:-@[-`{-~',
  space: '\t-\r ',
  upper: 'A-Z',
  word: '0-9A-Z_a-z',
  xdigit: '0-9A-Fa-f',
  d: '0-9',
  s: '\t\n\f\r ',
  w: '0-9A-Z_a-z',
};

const CONTROL: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const CHARACTER = String.raw`\\x(?:\{[\da-fA-F]+\}|[\da-fA-F]{2})|\\[0-7]{1,3}|\\[^]|[^]`;
const NAMED = String.raw`\[:(?<posix>\^?\w+):\]|\\(?<perl>[dswDSW])|\\(?<sign>[pP])(?:\{(?<property>[^}]*)\}|(?<letter>[^]))`;
const MEMBER = new RegExp(`${NAMED}|(?<first>${CHARACTER})(?:-(?<last>${CHARACTER}))?`, 'gu');

/**
 * Returns the characters of a class, a property, a dot or an escaped character of RE2 syntax.
 * @param token for an invalid token, the result is arbitrary, because RE2 rejects the pattern.
 * @param flags only `i` and `s` have an effect.
 */
export function characterSet(token: string, flags: string): readonly Range[] {
  const ignoresCase = flags.includes('i');
  if (token === '.') return flags.includes('s') ? [[0, MAX_CODE_POINT]] : complement([[10, 10]]);
  const [, caret, inner] = /^\[(\^?)([^]*)\]$/.exec(token) ?? [];
  if (inner === undefined) return membersOf(token, ignoresCase);
  const members = membersOf(inner, ignoresCase);
  return caret === '^' ? complement(members) : members;
}

export function caseSet(character: string): readonly Range[] {
  return union(caseVariants(character).map(only));
}

function membersOf(text: string, ignoresCase: boolean): readonly Range[] {
  const named: Range[] = [];
  const ranges: Range[] = [];
  for (const { groups = {} } of text.matchAll(MEMBER)) {
    const { first, last, ...name } = groups;
    if (first === undefined) named.push(...classNamed(name, ignoresCase));
    else ranges.push([codePointOf(first), codePointOf(last ?? first)]);
  }
  const set = union(ranges);
  return union([...named, ...(ignoresCase ? withVariants(set) : set)]);
}

function codePointOf(character: string): number {
  const escaped = character.length > 1 && character.startsWith('\\') ? character.slice(1) : undefined;
  if (escaped === undefined) return character.codePointAt(0) ?? 0;
  if (/^x./.test(escaped)) return Number.parseInt(escaped.replace(/[x{}]/g, ''), 16);
  if (/^[0-7]/.test(escaped)) return Number.parseInt(escaped, 8);
  return (CONTROL[escaped] ?? escaped).codePointAt(0) ?? 0;
}

/** Cache of named classes. The cache cannot grow without limit, because only valid names are cached. */
const classes = new Map<string, readonly Range[]>();

function classNamed(
  { posix, perl, sign, property, letter }: Partial<Record<string, string>>,
  ignoresCase: boolean,
): readonly Range[] {
  const given = posix ?? perl?.toLowerCase() ?? property ?? letter ?? '';
  const name = given.replace(/^\^/, '');
  const isUnicode = sign !== undefined;
  const key = `${isUnicode ? 'p' : ''}{${name}}${ignoresCase ? 'i' : ''}`;
  const known = classes.get(key);
  const set =
    known ?? (isUnicode ? propertySet(name, ignoresCase) : membersOf(ASCII[name] ?? '', ignoresCase));
  if (known === undefined && set.length > 0) classes.set(key, set);
  const isOpposite = sign === 'P' || /[DSW]/.test(perl ?? '');
  return isOpposite === given.startsWith('^') ? set : complement(set);
}

/**
 * Returns the characters of a Unicode category or script according to the Unicode data of Node.js; empty for an unknown
 * name.
 */
function propertySet(name: string, ignoresCase: boolean): readonly Range[] {
  const expression = propertyExpression(name);
  if (expression === undefined) return [];
  const ranges: Range[] = [];
  for (const { 0: run, index } of characters().matchAll(expression)) {
    const next = characters().codePointAt(index + run.length) ?? MAX_CODE_POINT + 1;
    ranges.push([characters().codePointAt(index) ?? 0, next - 1]);
  }
  return ignoresCase ? withVariants(ranges) : ranges;
}

function propertyExpression(name: string): RegExp | undefined {
  // The third form is for RE2's names `Lc` and `Ascii`, which are `LC` and `ASCII` in JavaScript.
  for (const property of [name, `Script=${name}`, name.toUpperCase()]) {
    try {
      return new RegExp(`\\p{${property}}+`, 'gu');
    } catch {
      continue;
    }
  }
  return undefined;
}

let text: string | undefined;

/**
 * Returns all characters in order of their code points. Surrogates, unassigned planes and private use areas are
 * represented by their first characters, because all characters of such an area have the same properties.
 */
function characters(): string {
  if (text !== undefined) return text;
  text = '';
  for (let code = 0; code <= MAX_CODE_POINT; code += 1) {
    text += String.fromCodePoint(code);
    if (code === 0xd800) code = 0xdfff; // surrogates
    if (code === 0x3ffff) code = 0xdffff; // planes without characters
    if (code === 0xf0000 || code === 0x100000) code += 0xfffc; // private use
  }
  return text;
}

function withVariants(set: readonly Range[]): readonly Range[] {
  const variants = casedCharacters().filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return set.some(([first, last]) => first <= code && code <= last);
  });
  return union([...set, ...variants.flatMap(caseVariants).map(only)]);
}

export function only(character: string): Range {
  const code = character.codePointAt(0) ?? 0;
  return [code, code];
}

function union(ranges: readonly Range[]): readonly Range[] {
  const set: [first: number, last: number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const previous = set.at(-1);
    if (previous === undefined || first > previous[1] + 1) set.push([first, last]);
    else previous[1] = Math.max(previous[1], last);
  }
  return set;
}

export function complement(set: readonly Range[]): readonly Range[] {
  const starts = [0, ...set.map(([, last]) => last + 1)];
  const ends = [...set.map(([first]) => first - 1), MAX_CODE_POINT];
  return starts
    .map((start, place): Range => [start, ends[place] ?? 0])
    .filter(([start, end]) => start <= end);
}
