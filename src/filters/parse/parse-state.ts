import { Problems, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/json-object.js';
import { describe } from '../../metadata/literal.js';
import type { Field } from '../filter.js';
import { translatePattern, type Pattern, type PatternDefect } from '../regex/pattern.js';

const MAX_DEPTH = 100;
const MAX_PREDICATES = 1_000;

/** Levels of the dotted names of all predicates: the SQL of a name grows with its levels, not with its length. */
const MAX_NAME_LEVELS = 10_000;

/**
 * Values in all operands, and the bytes of their texts: the SQL holds each several times, and PostgreSQL tries them on
 * every document that nothing else leaves out.
 */
const MAX_VALUES = 22_000;
const MAX_BYTES = 1_048_576;

/** PostgreSQL caches 32 compiled patterns; with more, each is compiled again for every row. */
const MAX_PATTERNS = 32;

/** Parts of all patterns, repetitions written out: compiling so many takes some 20 ms, in which nothing else runs. */
const MAX_PATTERN_PARTS = 4_000;

/** The state of one parse: the errors found so far, and the counters of what is limited for a filter as a whole. */
export class ParseState {
  readonly problems = new Problems();
  private predicates = 0;
  private levels = 0;
  private values = 0;
  private bytes = 0;
  private readonly patterns = new Map<string, Pattern | PatternDefect>();
  private patternParts = 0;
  private patternsExhausted = false;

  /** Counts a predicate and the levels of its field; past a limit that is an error, reported once. */
  countPredicate(field: Field, loc: Location): void {
    this.predicates += 1;
    if (this.predicates === MAX_PREDICATES + 1) {
      this.problems.add(loc, `a filter expects at most ${MAX_PREDICATES} predicates, got more`);
    }
    const before = this.levels;
    this.levels += field.kind === 'metadata' ? field.path.length : 1;
    if (before <= MAX_NAME_LEVELS && this.levels > MAX_NAME_LEVELS) {
      this.problems.add(
        loc,
        `a filter expects at most ${MAX_NAME_LEVELS} levels in all its field names, got more`,
      );
    }
  }

  /** Counts what an operand holds. Past a limit, which is an error, reported once, no operand is to be read. */
  allowsOperand(operand: unknown, loc: Location): boolean {
    const before = this.isExhausted();
    const rest = [operand];
    while (rest.length > 0 && !this.isExhausted()) {
      const value = rest.pop();
      this.values += 1;
      if (typeof value === 'string') this.bytes += Buffer.byteLength(value);
      if (Array.isArray(value)) for (const member of value as unknown[]) rest.push(member);
      if (!isJsonObject(value)) continue;
      for (const [key, member] of Object.entries(value)) rest.push(key, member);
    }
    const isAllowed = !this.isExhausted();
    if (!before && !isAllowed) {
      this.problems.add(
        loc,
        `a filter expects at most ${MAX_VALUES} values and ${MAX_BYTES} bytes of text in all its operands, got more`,
      );
    }
    return isAllowed;
  }

  private isExhausted(): boolean {
    return this.values > MAX_VALUES || this.bytes > MAX_BYTES;
  }

  /** The pattern in PostgreSQL's dialect; undefined past the limits of patterns, which is an error, reported once. */
  pattern(source: string, flags: string, loc: Location): Pattern | PatternDefect | undefined {
    const key = `${flags}/${source}`;
    const known = this.patterns.get(key);
    if (known !== undefined) return known;
    const isRoom = this.patterns.size < MAX_PATTERNS && this.patternParts < MAX_PATTERN_PARTS;
    if (isRoom) {
      const translated = translatePattern(source, flags);
      this.patterns.set(key, translated);
      this.patternParts += 'are' in translated ? translated.tokens : source.length;
      return translated;
    }
    if (!this.patternsExhausted) {
      this.problems.add(
        loc,
        `a filter expects at most ${MAX_PATTERNS} different $regex patterns of ${MAX_PATTERN_PARTS} parts together, got more`,
      );
    }
    this.patternsExhausted = true;
    return undefined;
  }

  /** Whether nesting may go on to `depth`; otherwise that is an error, and what is below is not read. */
  entersDepth(depth: number, loc: Location, operator: string): boolean {
    if (depth <= MAX_DEPTH) return true;
    this.problems.add(loc, `${operator} expects at most ${MAX_DEPTH} levels of nesting, got more`);
    return false;
  }

  /** The members of an operand that has to be a non-empty array; otherwise that is an error, and there are none. */
  members(operator: string, operand: unknown, loc: Location, expected: string): readonly unknown[] {
    if (Array.isArray(operand) && operand.length > 0) return operand;
    const got = Array.isArray(operand) ? 'an empty array' : describe(operand);
    this.problems.add(
      loc,
      `${operator} expects a non-empty array of ${expected}, got ${got}`,
      Array.isArray(operand) ? 'value_error' : 'list_type',
    );
    return [];
  }
}
