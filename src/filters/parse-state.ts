import type { Location } from '../errors/index.js';
import type { Field } from './field.js';
import { describe } from '../metadata/json-kind.js';
import { Problems } from '../metadata/problems.js';
import { translatePattern, type Pattern, type PatternDefect } from './regex/pattern.js';
import { WorkBudget } from './regex/work-budget.js';

/** Of dotted names, over all predicates: each level is several times as much work as it is text. */
const MOST_LEVELS = 10_000;

/** PostgreSQL keeps so many compiled patterns; with more, each would be compiled again for every row. */
const MOST_PATTERNS = 32;

const DEEPEST_NESTING = 100;
const MOST_PREDICATES = 1_000;

/** What one parse keeps: the errors found so far and the counters behind the limits. */
export class ParseState {
  readonly problems = new Problems();
  private predicates = 0;
  private levels = 0;
  private readonly patterns = new Map<string, Pattern | PatternDefect>();
  private readonly patternWork = new WorkBudget();
  private patternsExhausted = false;

  /** Counts a predicate about a field; past a limit it is an error, reported once. */
  countPredicate(field: Field, loc: Location): void {
    this.predicates += 1;
    if (this.predicates === MOST_PREDICATES + 1) {
      this.problems.add(loc, `a filter expects at most ${MOST_PREDICATES} predicates, got more`);
    }
    const before = this.levels;
    this.levels += field.kind === 'metadata' ? field.path.length : 1;
    if (before <= MOST_LEVELS && this.levels > MOST_LEVELS) {
      this.problems.add(
        loc,
        `a filter expects at most ${MOST_LEVELS} levels in all its field names, got more`,
      );
    }
  }

  /** The pattern in PostgreSQL's dialect; undefined past the most patterns, the first of which is an error. */
  pattern(source: string, flags: string, loc: Location): Pattern | PatternDefect | undefined {
    const key = `${flags}/${source}`;
    const known = this.patterns.get(key);
    if (known !== undefined) return known;
    if (this.patterns.size < MOST_PATTERNS) {
      const translated = translatePattern(source, flags, this.patternWork);
      this.patterns.set(key, translated);
      return translated;
    }
    if (!this.patternsExhausted) {
      this.problems.add(loc, `a filter expects at most ${MOST_PATTERNS} different $regex patterns, got more`);
    }
    this.patternsExhausted = true;
    return undefined;
  }

  /** Whether nesting may go on to `depth`; where not, that is an error and what is below is left unread. */
  entersDepth(depth: number, loc: Location, operator: string): boolean {
    if (depth <= DEEPEST_NESTING) return true;
    this.problems.add(loc, `${operator} expects at most ${DEEPEST_NESTING} levels of nesting, got more`);
    return false;
  }

  /** The members of a non-empty array operand; what is wrong with the array is an error and gives no members. */
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
