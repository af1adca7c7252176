import { PERL_SETS, POSIX_SETS, unicodeSet } from './named-sets.js';
import {
  ANY_CHARACTER,
  complement,
  setOf,
  singleton,
  withCaseVariants,
  type CharacterSet,
} from './character-set.js';
import { readEscape } from './escape.js';
import {
  alternatives,
  character,
  NOTHING,
  repeat,
  sequence,
  type Assertion,
  type Expression,
} from './expression.js';
import { PatternReader } from './pattern-reader.js';

export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

const LINE_FEED = singleton(0x0a);
const ASSERTION_ESCAPES: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  z: 'text-end',
  b: 'word-boundary',
  B: 'no-word-boundary',
};

/**
 * Reads a pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax).
 * @param pattern one that RE2 has accepted: what is no RE2 syntax is not looked for here.
 */
export function parsePattern(pattern: string, flags: Flags): Expression {
  return parseAlternatives(new PatternReader(pattern), flags);
}

function parseAlternatives(reader: PatternReader, flags: Flags): Expression {
  const branches: Expression[] = [];
  let parts: Expression[] = [];
  let current = flags;
  while (!reader.atEnd() && !reader.isAt(')')) {
    if (reader.take('|')) {
      branches.push(sequence(parts));
      parts = [];
      continue;
    }
    const inline = reader.takeMatch(/^\(\?([imsU]*)(?:-([imsU]+))?\)/);
    if (inline !== undefined) {
      current = changed(current, inline);
      continue;
    }
    if (reader.takeString('\\Q')) {
      const literals = reader.takeQuoted().map((codePoint) => literal(codePoint, current));
      // A quantifier behind the quotation belongs to its last character alone.
      const last = literals.pop();
      parts.push(...literals);
      if (last !== undefined) parts.push(parseQuantifiers(reader, last));
      continue;
    }
    parts.push(parseQuantifiers(reader, parseAtom(reader, current)));
  }
  branches.push(sequence(parts));
  return alternatives(branches);
}

function changed(flags: Flags, [, on = '', off = '']: readonly (string | undefined)[]): Flags {
  const after = (flag: string, before: boolean) => (before || on.includes(flag)) && !off.includes(flag);
  return {
    ignoreCase: after('i', flags.ignoreCase),
    multiline: after('m', flags.multiline),
    dotAll: after('s', flags.dotAll),
  };
}

function parseQuantifiers(reader: PatternReader, atom: Expression): Expression {
  const found = reader.takeMatch(/^(?:([*+?])|\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\})\??/);
  if (found === undefined) return atom;
  const [, sign, min = '0', comma, max] = found;
  if (sign !== undefined) return repeat(atom, sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity);
  const least = Number(min);
  if (comma === undefined) return repeat(atom, least, least);
  return repeat(atom, least, max === undefined ? Infinity : Number(max));
}

function parseAtom(reader: PatternReader, flags: Flags): Expression {
  if (reader.isAt('(')) return parseGroup(reader, flags);
  if (reader.isAt('[')) return character(parseClass(reader, flags));
  if (reader.take('.')) return character(flags.dotAll ? ANY_CHARACTER : complement(LINE_FEED));
  if (reader.take('^')) return assertion(flags.multiline ? 'line-start' : 'text-start');
  if (reader.take('$')) return assertion(flags.multiline ? 'line-end' : 'text-end');
  const asserted = reader.takeMatch(/^\\([AzbB])/)?.[1];
  if (asserted !== undefined) return assertion(ASSERTION_ESCAPES[asserted] ?? 'text-start');
  const set = parseSetEscape(reader, flags);
  return set === undefined ? literal(readEscape(reader), flags) : character(set);
}

function assertion(kind: Assertion): Expression {
  return { kind: 'assertion', assertion: kind };
}

function literal(codePoint: number, flags: Flags): Expression {
  return character(folded(singleton(codePoint), flags));
}

function folded(set: CharacterSet, flags: Flags): CharacterSet {
  return flags.ignoreCase ? withCaseVariants(set) : set;
}

function parseGroup(reader: PatternReader, flags: Flags): Expression {
  const scoped = reader.takeMatch(/^\(\?([imsU]*)(?:-([imsU]+))?:/);
  if (scoped === undefined && reader.takeMatch(/^\(\?P?<\w+>/) === undefined) reader.take('(');
  const inner = parseAlternatives(reader, scoped === undefined ? flags : changed(flags, scoped));
  reader.take(')');
  return inner.kind === 'sequence' && inner.parts.length === 0 ? NOTHING : inner;
}

/** `\d`, `\pL`, `\P{Greek}` and the like, at the reader; undefined when something else stands there. */
function parseSetEscape(reader: PatternReader, flags: Flags): CharacterSet | undefined {
  const perl = reader.takeMatch(/^\\([dswDSW])/)?.[1];
  if (perl !== undefined) {
    const set = folded(PERL_SETS[perl.toLowerCase()] ?? [], flags);
    return perl === perl.toLowerCase() ? set : complement(set);
  }
  const unicode = reader.takeMatch(/^\\([pP])(?:\{(\^?)([^}]*)\}|(.))/u);
  if (unicode === undefined) return undefined;
  const [, sign, caret = '', name, letter] = unicode;
  const set = folded(unicodeSet(name ?? letter ?? ''), flags);
  return (sign === 'P') === (caret === '') ? complement(set) : set;
}

function parseClass(reader: PatternReader, flags: Flags): CharacterSet {
  const negated = reader.takeMatch(/^\[(\^?)/)?.[1] === '^';
  const members: CharacterSet[] = [];
  do members.push(parseClassMember(reader, flags));
  while (!reader.isAt(']'));
  reader.take(']');
  const set = setOf(members.flat());
  return negated ? complement(set) : set;
}

function parseClassMember(reader: PatternReader, flags: Flags): CharacterSet {
  const posix = reader.takeMatch(/^\[:(\^?)(\w+):\]/);
  if (posix !== undefined) {
    const set = folded(POSIX_SETS[posix[2] ?? ''] ?? [], flags);
    return posix[1] === '^' ? complement(set) : set;
  }
  const escaped = parseSetEscape(reader, flags);
  if (escaped !== undefined) return escaped;
  const first = readEscape(reader);
  const last = reader.takeMatch(/^-(?!\])/) === undefined ? first : readEscape(reader);
  return folded(setOf([[first, last]]), flags);
}
