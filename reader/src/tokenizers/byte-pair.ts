import { O200k } from './o200k.js';
import type { Tokenizer } from './tokenizer.js';

let loaded: O200k | undefined;
let loading: Promise<O200k> | undefined;

/** Loads the vocabulary without blocking the event loop. Otherwise the first count loads it, and blocks. */
export async function loadBytePairs(): Promise<void> {
  if (loaded !== undefined) return;
  loading ??= O200k.load().finally(() => {
    loading = undefined;
  });
  loaded = await loading;
}

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
  const tokens = (loaded ??= O200k.loadAtOnce());
  let total = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    if (index > from) total += tokens.count(text.slice(from, index));
    for (const part of run.match(PART) ?? []) total += tokens.count(part);
    from = index + run.length;
  }
  return from === text.length ? total : total + tokens.count(text.slice(from));
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
