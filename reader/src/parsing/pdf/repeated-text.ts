import type { TextRun } from './layout/segments.js';

/** In font sizes: baseline distance of runs in one line, and minimum overlap of repeated letters. */
const SAME_LINE = 0.2;
const OVERLAP = 0.3;

/** Matches four or more single letters: `H E A D I N G`. */
const LETTER_SPACED = /(?<![\p{L}\p{M}\p{N}])(?:\p{L}\p{M}*\s+){3,}\p{L}\p{M}*(?![\p{L}\p{M}\p{N}])/u;

/**
 * Whether the runs of a page do not show its words: letters are drawn several times to look bold, or are spaced apart.
 * Then the glyphs must be read one by one.
 */
export function needsGlyphs(runs: readonly TextRun[]): boolean {
  let line = '';
  let last: TextRun | undefined;
  for (const run of runs) {
    if (run.str.trim() === '') {
      line += run.str;
      continue;
    }
    const isSameLine = last !== undefined && Math.abs(last.y - run.y) <= run.size * SAME_LINE;
    if (isSameLine && last !== undefined && isRepeating(last, run)) return true;
    line = isSameLine ? `${line} ${run.str}` : run.str;
    if (LETTER_SPACED.test(line)) return true;
    if (line.length > MAX_LINE) line = run.str;
    last = run;
  }
  return false;
}

/** Maximum length of a line that is searched for spaced letters. */
const MAX_LINE = 200;

function isRepeating(last: TextRun, run: TextRun): boolean {
  const overlap = last.x + last.width - run.x;
  return (
    overlap >= run.size * OVERLAP &&
    run.x >= last.x - run.size * OVERLAP &&
    last.str.trim().at(-1) === run.str.trim().charAt(0)
  );
}
