import { RE2JS, RE2JSException } from 're2js';
import { complexityDefect } from './complexity.js';
import { withoutLayout } from './extended-syntax.js';
import { parsePattern } from './parse-pattern.js';
import { printPattern } from './print-pattern.js';

/** A regular expression in PostgreSQL's dialect, ready for `~` under the "C" collation. */
export interface Pattern {
  readonly are: string;
}

/** A class such as `\pL` is spelled out in 10,000 characters. */
const MOST_CHARACTERS = 100_000;

/** Why a pattern is refused, in words. */
export interface PatternDefect {
  readonly defect: string;
}

/**
 * Translates a pattern from RE2 syntax. RE2 has neither look-around nor back-references, so the result is a regular
 * language, which PostgreSQL matches in one pass over the text.
 * @param flags of `i` (ignore case), `m` (lines), `s` (dot matches line feeds) and `x` (layout), each at most once.
 */
export function translatePattern(source: string, flags: string): Pattern | PatternDefect {
  const pattern = flags.includes('x') ? withoutLayout(source) : source;
  const set = {
    ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
  };
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return { defect: error.message };
    throw error;
  }
  const expression = parsePattern(pattern, set);
  const defect = complexityDefect(expression);
  if (defect !== undefined) return { defect };
  const are = printPattern(expression);
  return are.length > MOST_CHARACTERS
    ? { defect: 'the pattern is too complex: its classes have too many ranges' }
    : { are };
}
