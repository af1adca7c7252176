import { RE2JS, RE2JSException } from 're2js';
import { TooComplex } from './cost.js';
import { toPostgres } from './to-postgres.js';

/** A regular expression in PostgreSQL's dialect, ready for `~` under the "C" collation. */
export interface Pattern {
  readonly are: string;
  /** Its parts, repetitions written out. */
  readonly tokens: number;
}

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
 * A pattern without what the flag `x` ignores, because RE2 has no such flag: white space and `#` comments outside
 * classes, quotations and escapes.
 */
function withoutLayout(pattern: string): string {
  const token =
    /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?|[ \t\n\v\f\r]+|#[^\n]*\n?|[^]/g;
  return pattern.replace(token, (text) => (/^[ \t\n\v\f\r#]/.test(text) ? '' : text));
}
