import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Tokenizer } from './tokenizer.js';

/** A text may spell a special token ("<|endoftext|>"): it is text here like any other. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

/** o200k_base tokens: exact for OpenAI's models, a close stand-in for the other embedding endpoints. */
export class BytePairTokenizer implements Tokenizer {
  count(text: string): number {
    return countTokens(text, NOTHING_SPECIAL);
  }

  /** A word with the blank before it; bytes are pieces too, so that none is unknown. */
  pieces(word: string): number {
    return this.count(` ${word}`);
  }
}
