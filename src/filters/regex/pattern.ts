import { RE2JSException } from 're2js';
import { complexityDefect, TOO_MANY_STATES, WorkBudget } from './complexity.js';
import { compileProgram } from './program.js';
import { toPostgres } from './to-postgres.js';

/** A regular expression in PostgreSQL's dialect, ready for `~` under the "C" collation. */
export interface Pattern {
  readonly are: string;
}

/** What compiling an instruction of RE2 costs, in units of work. */
const WORK_OF_INSTRUCTION = 80;

/** A class such as `\pL` is spelled out in 10,000 characters. */
const MAX_CHARACTERS = 100_000;

/** A pattern with more tokens, its repetitions written out, is not even compiled. */
const MAX_TOKENS = 5_000;

const TOO_MANY_RANGES = 'the pattern is too complex: its classes have too many ranges';
const TOGETHER = 'the patterns of the filter are too complex together';

/** Why a pattern is refused, in words. */
export interface PatternDefect {
  readonly defect: string;
}

/**
 * Translates a pattern from RE2 syntax. RE2 has neither look-around nor back-references, so the result is a regular
 * language, which PostgreSQL matches in one pass over the text.
 * @param flags of `i` (ignore case), `m` (lines), `s` (dot matches line feeds) and `x` (layout), each at most once.
 * @param budget of the filter, which its patterns share.
 */
export function translatePattern(
  source: string,
  flags: string,
  budget: WorkBudget = new WorkBudget(),
): Pattern | PatternDefect {
  const isFirst = !budget.isTouched;
  if (!budget.spend(source.length)) return { defect: TOGETHER };
  const pattern = flags.includes('x') ? withoutLayout(source) : source;
  try {
    const translation = toPostgres(pattern, flags.replace('x', ''), MAX_TOKENS);
    if (translation === undefined) return { defect: TOO_MANY_STATES };
    const { are, unmerged } = translation;
    let program = compileProgram(pattern);
    if (!budget.spend(WORK_OF_INSTRUCTION * program.instructions.length)) return { defect: TOGETHER };
    if (are.length > MAX_CHARACTERS) return { defect: TOO_MANY_RANGES };
    if (unmerged !== pattern) {
      program = compileProgram(unmerged);
      if (!budget.spend(WORK_OF_INSTRUCTION * program.instructions.length)) return { defect: TOGETHER };
    }
    const defect = complexityDefect(program, budget);
    if (defect === undefined) return { are };
    return { defect: isFirst || budget.spend(0) ? defect : TOGETHER };
  } catch (error) {
    if (error instanceof RE2JSException) return { defect: error.message };
    throw error;
  }
}

/**
 * A pattern without what the flag `x` ignores, because RE2 has no such flag: white space and `#` comments outside
 * classes, quotations and escapes.
 */
function withoutLayout(pattern: string): string {
  const token =
    /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?|[ \t\n\v\f\r]+|#[^\n]*\n?|[^]/g;
  return pattern.replace(token, (text) => (/^[ \t\n\v\f\r#]/.test(text) ? '' : text));
}
