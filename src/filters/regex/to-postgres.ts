import { caseRanges, compileProgram, rangesOf, type Range } from './program.js';

/** The largest bound of a repetition in PostgreSQL. */
const MAX_BOUND = 255;
const MAX_CODE_POINT = 0x10ffff;
/** The largest bound in RE2, which refuses larger ones. */
const MAX_RE2_BOUND = 1_000;

const CHARACTER = String.raw`(?:\\[^]|[^\]\\])`;
const PROPERTY = String.raw`\\[pP](?:\{[^}]*\}|[^])`;
const MEMBER = String.raw`\[:\^?\w+:\]|\\[dswDSW]|${PROPERTY}|${CHARACTER}(?:-${CHARACTER})?`;
/** The lookahead keeps the regular expression from backtracking into a class, which takes long for one without an end. */
const MEMBERS = String.raw`(?=(?<members>(?:\](?:-${CHARACTER})?)?(?:${MEMBER})*))\k<members>`;

/** The tokens of RE2 syntax (https://github.com/google/re2/wiki/Syntax), grouped by how they are translated. */
const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>[^]*?)(?:\\E|$)`,
    String.raw`(?<assertion>[$^]|\\[AzbB])`,
    // One character of a set: a class, a property, or an escaped character.
    String.raw`(?<set>\.|\[\^?${MEMBERS}\]|${PROPERTY}|\\x(?:\{[\da-fA-F]+\}|[\da-fA-F]{2})|\\(?:0[0-7]{0,2}|[1-7][0-7]+)|\\[^])`,
    String.raw`\(\?(?<on>[imsU]*)(?:-(?<off>[imsU]+))?(?<scope>[:)])`,
    String.raw`\((?:\?P?<\w+>)?`,
    String.raw`(?<close>\))`,
    String.raw`(?<or>\|)`,
    String.raw`(?<quantifier>[*+?]|\{(?<min>0|[1-9]\d*)(?:(?<comma>,)(?<max>0|[1-9]\d*)?)?\})\??`,
    String.raw`(?<literal>[^])`,
  ].join('|'),
  'gu',
);

interface Translation {
  /** In PostgreSQL's dialect. */
  readonly are: string;
  /** In RE2 syntax, with alternatives that RE2 cannot merge, because PostgreSQL does not either. */
  readonly unmerged: string;
}

/** What a quantifier can repeat. */
interface Unit {
  readonly text: string;
  /** Tokens that it has with its repetitions written out. */
  readonly size: number;
}

/**
 * Translates a pattern into PostgreSQL's "advanced regular expression" token by token. Groups and greediness are dropped,
 * because only whether a text matches counts. A set is spelled out as the characters that re2js compiles it to, so that
 * neither flags nor the locale change its meaning. `(?w)` makes `^` and `$` match at lines and leaves
 * everything else alone; under the "C" collation `\y` is a boundary of ASCII words, as in RE2.
 * Source: PostgreSQL documentation, section 9.7.3.
 * @param pattern the translation of one that is not in RE2 syntax is meaningless.
 * @param flags of `i`, `m` and `s`.
 * @returns undefined when the pattern has more than `maxSize` tokens with its repetitions written out.
 * @throws RE2JSException for a set that RE2 does not know.
 */
export function toPostgres(pattern: string, flags: string, maxSize: number): Translation | undefined {
  const outer: { flags: string; units: Unit[] }[] = [];
  const sets = new Map<string, string>();
  let units: Unit[] = [];
  let unmerged = flags === '' ? '' : `(?${flags})`;
  const add = (text: string) => units.push({ text, size: 1 });
  for (const token of pattern.matchAll(TOKEN)) {
    const found: Partial<Record<string, string>> = token.groups ?? {};
    const { quoted, assertion, set, scope, close, or, quantifier, literal } = found;
    unmerged += or === undefined ? token[0] : '|(?:)';
    if (quoted !== undefined) Array.from(quoted, (character) => add(printLiteral(character, flags)));
    else if (literal !== undefined) add(printLiteral(literal, flags));
    else if (assertion !== undefined) add(printAssertion(assertion, flags));
    else if (or !== undefined) add('|');
    else if (set !== undefined) {
      const key = `(?${flags}:${set})`;
      const text = sets.get(key) ?? printSet(setOf(key));
      sets.set(key, text);
      add(text);
    } else if (quantifier !== undefined) {
      const unit = units.pop() ?? NOTHING;
      const size = unit.size * timesOf(found);
      if (size > maxSize) return undefined;
      units.push({ text: repeat(unit.text, quantifier, found), size });
    } else if (close !== undefined) {
      const group = joined(units);
      ({ flags, units } = outer.pop() ?? { flags, units: [] });
      units.push({ text: `(?:${group.text})`, size: group.size + 1 });
    } else if (scope !== ')') {
      outer.push({ flags, units });
      units = [];
    }
    if (scope !== undefined) flags = changed(flags, found);
  }
  const { text, size } = joined(units);
  return size > maxSize ? undefined : { are: `***:(?w)${text}`, unmerged };
}

const NOTHING: Unit = { text: '', size: 1 };

function joined(units: readonly Unit[]): Unit {
  return {
    text: units.map(({ text }) => text).join(''),
    size: units.reduce((sum, { size }) => sum + size, 0),
  };
}

function changed(flags: string, { on = '', off = '' }: Partial<Record<string, string>>): string {
  return Array.from('ims')
    .filter((flag) => (flags.includes(flag) || on.includes(flag)) && !off.includes(flag))
    .join('');
}

function printAssertion(assertion: string, flags: string): string {
  switch (assertion) {
    case '\\b':
      return '\\y';
    case '\\B':
      return '\\Y';
    case '^':
    case '$':
      if (flags.includes('m')) return assertion;
      return assertion === '^' ? '\\A' : '\\Z';
    default:
      return assertion.toUpperCase();
  }
}

function printLiteral(character: string, flags: string): string {
  return flags.includes('i')
    ? printSet(caseRanges(character))
    : printCharacter(character.codePointAt(0) ?? 0);
}

type Bounds = Partial<Record<string, string>>;

/** How often the repeated unit has to be written out. */
function timesOf({ min = '1', comma, max }: Bounds): number {
  const isOpen = comma !== undefined && max === undefined;
  return Math.max(1, Math.min(isOpen ? Number(min) + 1 : Number(max ?? min), MAX_RE2_BOUND));
}

/** `{2,600}` is `{2,255}{0,255}{0,90}`. */
function repeat(text: string, quantifier: string, { min, comma, max }: Bounds): string {
  // PostgreSQL refuses a repeated assertion; repeating one changes nothing.
  if (/^(?:\\[AZyY]|[$^]|\(\?:\\[yY]\))$/.test(text)) return /^[*?]|^\{0/.test(quantifier) ? '' : text;
  // It also refuses a repeated repetition.
  const unit = /[*+?}]$/.test(text) ? `(?:${text})` : text;
  if (min === undefined) return unit + quantifier;
  const isOpen = comma !== undefined && max === undefined;
  let repeated = '';
  let from = Number(min);
  for (let to = isOpen ? from : Math.min(Number(max ?? min), MAX_RE2_BOUND); to > 0; to -= MAX_BOUND) {
    repeated += `${unit}{${Math.max(0, Math.min(from, MAX_BOUND))},${Math.min(to, MAX_BOUND)}}`;
    from -= MAX_BOUND;
  }
  return isOpen ? `${repeated}${unit}*` : repeated;
}

/** The characters that a pattern for one character matches. */
function setOf(pattern: string): readonly Range[] {
  const reading = compileProgram(pattern).instructions.find(({ runes }) => runes.length > 0);
  return reading === undefined ? [] : rangesOf(reading);
}

function printSet(set: readonly Range[]): string {
  const [first] = set;
  if (first === undefined) return `[^${printRanges([[0, MAX_CODE_POINT]])}]`;
  if (set.length === 1 && first[0] === first[1]) return printCharacter(first[0]);
  if (set.at(-1)?.[1] !== MAX_CODE_POINT) return `[${printRanges(set)}]`;
  const gaps = set
    .map(([next], place): Range => [(set[place - 1]?.[1] ?? -1) + 1, next - 1])
    .filter(([from, to]) => from <= to);
  return gaps.length === 0 ? '.' : `[^${printRanges(gaps)}]`;
}

function printRanges(set: readonly Range[]): string {
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
