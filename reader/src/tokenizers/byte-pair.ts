import { createRequire } from 'node:module';
import type { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Tokenizer } from './tokenizer.js';

const require = createRequire(import.meta.url);
let loaded: typeof countTokens | undefined;

/** Loads the vocabulary on first use: it needs 60 MB, and a tenth of a second. */
function counter(): typeof countTokens {
  loaded ??= (require('gpt-tokenizer/encoding/o200k_base') as { countTokens: typeof countTokens })
    .countTokens;
  return loaded;
}

const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

/**
 * Maximum number of characters that are merged at once. Byte-pair merging takes time quadratic in the length of a run of
 * letters, signs or spaces.
 */
const MAX_RUN = 64;
const LONG_RUN = new RegExp(
  ['\\p{L}\\p{M}', '^\\s\\p{L}\\p{N}', '\\s'].map((kind) => `[${kind}]{${MAX_RUN + 1},}`).join('|'),
  'gu',
);
const PART = new RegExp(`[^]{1,${MAX_RUN}}`, 'gu');

/**
 * Counts the tokens of o200k_base in linear time. Exact, except that a run of more than 64 letters, signs or spaces is
 * counted in pieces of 64. Control tokens in the text count as text.
 */
export function countBytePairs(text: string): number {
  const count = counter();
  let total = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    if (index > from) total += count(text.slice(from, index), NOTHING_SPECIAL);
    for (const part of run.match(PART) ?? []) total += count(part, NOTHING_SPECIAL);
    from = index + run.length;
  }
  return from === text.length ? total : total + count(text.slice(from), NOTHING_SPECIAL);
}

/** Tokenizer with o200k_base tokens: exact for OpenAI's models, an approximation for other embedding endpoints. */
export class BytePairTokenizer implements Tokenizer {
  count(text: string): number {
    return countBytePairs(text);
  }

  /** Counts a word with a leading space. No word is unknown, since every byte is a token. */
  pieces(word: string): number {
    return this.count(` ${word}`);
  }
}
