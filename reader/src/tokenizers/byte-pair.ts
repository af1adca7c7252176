import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Tokenizer } from './tokenizer.js';

/** Treats special tokens in a text ("<|endoftext|>") as plain text. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

/** Tokenizer with o200k_base tokens: exact for OpenAI's models, an approximation for other embedding endpoints. */
export class BytePairTokenizer implements Tokenizer {
  count(text: string): number {
    return countTokens(text, NOTHING_SPECIAL);
  }

  /** Counts a word with a leading space. No word is unknown, since every byte is a token. */
  pieces(word: string): number {
    return this.count(` ${word}`);
  }
}
