import { Problems, type Location } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { describe } from '../../metadata/literal.js';
import type { Field } from '../filter.js';
import { translatePattern, type Pattern, type PatternDefect } from '../regex/pattern.js';

const MAX_DEPTH = 100;
const MAX_PREDICATES = 1_000;

/** Maximum number of levels of all dotted names together. The SQL of a name grows with its levels. */
const MAX_NAME_LEVELS = 10_000;

/**
 * Maximum number of values in all operands together, and maximum number of bytes in the texts of these values. The SQL
 * contains each value at least once, and PostgreSQL may compare every document with each value.
 */
const MAX_VALUES = 22_000;
const MAX_BYTES = 1_048_576;

/**
 * Maximum number of patterns. PostgreSQL caches 32 compiled patterns; with more, it compiles each pattern again for
 * every row.
 */
const MAX_PATTERNS = 32;

/**
 * Maximum number of parts of all patterns together, counted with expanded repetitions. Compiling this many blocks the
 * event loop for about 20 ms.
 */
const MAX_PATTERN_PARTS = 4_000;

/** State of one parse: errors, and counters for the limits of the whole filter. */
export class ParseState {
  readonly problems = new Problems();
  private predicates = 0;
  private levels = 0;
  private values = 0;
  private bytes = 0;
  private readonly patterns = new Map<string, Pattern | PatternDefect>();
  private patternParts = 0;
  private patternsExhausted = false;

  /** Counts a predicate and the levels of its field. Reports an exceeded limit once. */
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

  /** Counts the values and bytes of an operand. Reports an exceeded limit once. @returns false beyond a limit. */
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

  /** Translates a pattern for PostgreSQL. Reports an exceeded limit once. @returns undefined beyond a limit. */
  pattern(source: string, flags: string, loc: Location): Pattern | PatternDefect | undefined {
    const key = `${flags}/${source}`;
    const known = this.patterns.get(key);
    if (known !== undefined) return known;
    if (this.patterns.size < MAX_PATTERNS && !this.patternsExhausted) {
      const translated = translatePattern(source, flags);
      this.patterns.set(key, translated);
      this.patternParts += 'are' in translated ? translated.tokens : source.length;
      if (this.patternParts <= MAX_PATTERN_PARTS || !('are' in translated)) return translated;
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

  /** Checks the nesting depth. @returns false, and adds an error, beyond the limit. */
  entersDepth(depth: number, loc: Location, operator: string): boolean {
    if (depth <= MAX_DEPTH) return true;
    this.problems.add(loc, `${operator} expects at most ${MAX_DEPTH} levels of nesting, got more`);
    return false;
  }

  /** Returns the members of a non-empty array. Any other operand adds an error and returns no members. */
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
