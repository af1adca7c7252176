import { RE2JS, RE2JSException } from 're2js';
import { caseSet, characterSet, complement, MAX_CODE_POINT, only, type Range } from './character-set.js';
import {
  alternatives,
  ASSERTION,
  bounded,
  CHARACTER,
  type Cost,
  loop,
  NOTHING,
  optional,
  repetition,
  sequence,
  SET,
  TooComplex,
  type Translation,
} from './cost.js';

/** Maximum bound of a repetition in PostgreSQL. */
const MAX_BOUND = 255;
const MAX_RE2_BOUND = 1_000;

const ESCAPED = String.raw`(?:\\[^]|[^\]\\])`;
const PROPERTY = String.raw`\\[pP](?:\{[^}]*\}|[^])`;
const MEMBER = String.raw`\[:\^?\w+:\]|\\[dswDSW]|${PROPERTY}|${ESCAPED}(?:-${ESCAPED})?`;
/** The lookahead with a backreference prevents backtracking into a class, which would be slow for an unclosed class. */
const MEMBERS = String.raw`(?=(?<members>(?:\](?:-${ESCAPED})?)?(?:${MEMBER})*))\k<members>`;

/** Tokens of RE2 syntax (https://github.com/google/re2/wiki/Syntax), one group per translation rule. */
const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>[^]*?)(?:\\E|$)`,
    String.raw`(?<assertion>[$^]|\\[AzbB])`,
    // A token that matches one character out of a set: a dot, a class, a property, or an escaped character.
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

/**
 * Translates a pattern to a PostgreSQL advanced regular expression (ARE) token by token. Drops the names and numbers of
 * groups and the greediness of quantifiers, because they do not affect whether a text matches. Writes a set as its
 * characters, so that flags and locale cannot change it. With `(?w)`, `^` and `$` also match at the start and end of
 * each line. In the "C" collation `\y` is a boundary of ASCII words, as in RE2. Source: PostgreSQL documentation,
 * section 9.7.3.
 * @param pattern an invalid pattern has a meaningless translation.
 * @param flags a subset of `i`, `m` and `s`.
 * @throws TooComplex for a pattern that is too expensive to compile or to match.
 */
function toPostgres(pattern: string, flags: string): Translation {
  const outer: { flags: string; parts: Part[] }[] = [];
  const sets = new Map<string, Translation>();
  let parts: Part[] = [];
  for (const token of pattern.matchAll(TOKEN)) {
    const found: Partial<Record<string, string>> = token.groups ?? {};
    const { quoted, assertion, set, scope, close, or, quantifier, literal } = found;
    if (quoted !== undefined) parts.push(...Array.from(quoted, (character) => letter(character, flags)));
    else if (literal !== undefined) parts.push(letter(literal, flags));
    else if (assertion !== undefined) parts.push({ are: printAssertion(assertion, flags), cost: ASSERTION });
    else if (or !== undefined) parts.push('|');
    else if (set !== undefined) {
      const key = flags + set;
      const printed = sets.get(key) ?? setOf(characterSet(set, flags));
      sets.set(key, printed);
      parts.push(printed);
    } else if (quantifier !== undefined) {
      const part = parts.pop() ?? EMPTY;
      parts.push(part === '|' ? part : repeat(part, quantifier, found));
    } else if (close !== undefined) {
      const { are, cost } = joined(parts);
      ({ flags, parts } = outer.pop() ?? { flags, parts: [] });
      parts.push({ are: `(?:${are})`, cost: { ...cost, tokens: cost.tokens + 1 } });
    } else if (scope !== ')') {
      outer.push({ flags, parts });
      parts = [];
    }
    if (scope !== undefined) flags = changed(flags, found);
  }
  const { are, cost } = joined(parts);
  return { are: `***:(?w)${are}`, cost };
}

type Part = Translation | '|';

const EMPTY: Translation = { are: '', cost: NOTHING };

function joined(parts: readonly Part[]): Translation {
  const branches: Cost[] = [];
  let cost = NOTHING;
  for (const part of parts) {
    if (part !== '|') cost = sequence(cost, part.cost);
    else {
      branches.push(cost);
      cost = NOTHING;
    }
  }
  return bounded({
    are: parts.map((part) => (part === '|' ? part : part.are)).join(''),
    cost: branches.reduceRight((later, branch) => alternatives(branch, later), cost),
  });
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

function letter(character: string, flags: string): Translation {
  const set = flags.includes('i') ? caseSet(character) : [only(character)];
  return { are: printSet(set), cost: CHARACTER };
}

function setOf(set: readonly Range[]): Translation {
  const are = printSet(set);
  return { are, cost: /^[[.]/.test(are) ? SET : CHARACTER };
}

/**
 * Repeats a part. Splits a large bound, because PostgreSQL allows at most 255: `{2,600}` becomes
 * `{2,255}{0,255}{0,90}`.
 */
function repeat(
  { are, cost }: Translation,
  quantifier: string,
  { min, comma, max }: Partial<Record<string, string>>,
): Translation {
  const isOptional = /^(?:[*?]|\{0(?:,|\}))/.test(quantifier);
  // PostgreSQL rejects the repetition of an assertion. A required repetition is equivalent to the assertion alone, and
  // an optional repetition is equivalent to the empty pattern.
  if (/^(?:\\[AZyY]|[$^]|\(\?:\\[yY]\))$/.test(are)) return isOptional ? EMPTY : { are, cost };
  // PostgreSQL also rejects the repetition of a repetition, unless the inner repetition is in a group.
  const unit = /[*+?}]$/.test(are) ? `(?:${are})` : are;
  if (min === undefined) {
    const looped = quantifier.startsWith('?') ? cost : loop(cost);
    return { are: unit + quantifier.charAt(0), cost: isOptional ? optional(looped) : looped };
  }
  const isOpen = comma !== undefined && max === undefined;
  const least = Math.min(Number(min), MAX_RE2_BOUND);
  const most = isOpen ? least : Math.min(Number(max ?? min), MAX_RE2_BOUND);
  let repeated = '';
  for (let from = least, to = most; to > 0; from -= MAX_BOUND, to -= MAX_BOUND) {
    repeated += `${unit}{${Math.max(0, Math.min(from, MAX_BOUND))},${Math.min(to, MAX_BOUND)}}`;
  }
  return bounded({
    are: isOpen ? `${repeated}${unit}*` : repeated,
    cost: repetition(cost, least, isOpen ? Infinity : most),
  });
}

function printSet(set: readonly Range[]): string {
  const [first] = set;
  if (first === undefined) return `[^${printRanges([[0, MAX_CODE_POINT]])}]`;
  if (set.length === 1 && first[0] === first[1]) return printCharacter(first[0]);
  if (set.at(-1)?.[1] !== MAX_CODE_POINT) return `[${printRanges(set)}]`;
  const others = complement(set);
  return others.length === 0 ? '.' : `[^${printRanges(others)}]`;
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

/** A PostgreSQL advanced regular expression (ARE) for the operator `~` in the "C" collation. */
export interface Pattern {
  readonly are: string;
  readonly tokens: number;
}

export interface PatternDefect {
  readonly defect: string;
}

/**
 * Translates a pattern from RE2 syntax. RE2 has neither lookaround nor backreferences, so PostgreSQL can match the
 * result in one pass over the text.
 * @param flags a subset of `i` (ignore case), `m` (multi-line), `s` (dot matches line feeds) and `x` (ignore white
 *   space).
 */
export function translatePattern(source: string, flags: string): Pattern | PatternDefect {
  const pattern = flags.includes('x') ? withoutLayout(source) : source;
  try {
    const { are, cost } = toPostgres(pattern, flags.replace('x', ''));
    RE2JS.compile(pattern);
    return { are, tokens: cost.tokens };
  } catch (error) {
    if (error instanceof RE2JSException || error instanceof TooComplex) return { defect: error.message };
    throw error;
  }
}

/**
 * Removes white space and `#` comments outside classes, quotations and escapes. Implements the flag `x`, which RE2 does
 * not support.
 */
function withoutLayout(pattern: string): string {
  const token =
    /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?|[ \t\n\v\f\r]+|#[^\n]*\n?|[^]/g;
  return pattern.replace(token, (text) => (/^[ \t\n\v\f\r#]/.test(text) ? '' : text));
}
