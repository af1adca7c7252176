import { RE2JS } from 're2js';

/** A regular expression in PostgreSQL's dialect, ready for `~` under the "C" collation. */
export interface Pattern {
  readonly are: string;
}

export function patternOf(source: string, flags: string): Pattern {
  RE2JS.compile(source);
  const options = flags === '' ? '' : `(?${flags.replaceAll('m', 'w')})`;
  return { are: `***:${options}${source}` };
}
