import { RE2JS, RE2JSException } from 're2js';
import { complexityDefect } from './complexity.js';
import { withoutLayout } from './extended-syntax.js';
import { parsePattern } from './parse-pattern.js';
import { printPattern } from './print-pattern.js';
import { WorkBudget } from './work-budget.js';

/** A regular expression in PostgreSQL's dialect, ready for `~` under the "C" collation. */
export interface Pattern {
  readonly are: string;
}

/** What compiling an instruction of RE2 costs, in units of work. */
const WORK_OF_INSTRUCTION = 80;

/** A class such as `\pL` is spelled out in 10,000 characters. */
const MOST_CHARACTERS = 100_000;

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
  const set = {
    ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
  };
  try {
    if (!budget.spend(WORK_OF_INSTRUCTION * RE2JS.compile(pattern).programSize()))
      return { defect: TOGETHER };
  } catch (error) {
    if (error instanceof RE2JSException) return { defect: error.message };
    throw error;
  }
  const expression = parsePattern(pattern, set);
  const defect = complexityDefect(expression, budget);
  if (defect !== undefined) return { defect: isFirst || budget.spend(0) ? defect : TOGETHER };
  const are = printPattern(expression);
  return are.length > MOST_CHARACTERS
    ? { defect: 'the pattern is too complex: its classes have too many ranges' }
    : { are };
}
