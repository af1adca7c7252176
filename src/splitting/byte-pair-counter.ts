import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { TokenCounter } from './piece.js';

/** A text may spell a special token ("<|endoftext|>"): it is text here like any other. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() };

/** o200k_base tokens: exact for OpenAI's models, a close stand-in for the other embedding endpoints. */
export class BytePairCounter implements TokenCounter {
  count(text: string): number {
    return countTokens(text, NOTHING_SPECIAL);
  }
}
