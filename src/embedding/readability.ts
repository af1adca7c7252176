import { loadTokenizer, type TokenizerName } from './tokenizers/load-tokenizer.js';
import type { Tokenizer } from './tokenizers/tokenizer.js';

/** Below, the pieces of a word are letters and pairs of them: the model never learned what the word means. */
const LEAST_CHARACTERS_A_PIECE = 2.6;

/** Of a question, in UTF-16 code units: more of it changes no share, and takes time. */
const MAX_QUESTION = 10_000;

/** In code points; no vocabulary has a longer word, and some tokenizers are slow with them. */
const MAX_WORD = 100;

/** Scripts whose words are not separated, and Korean, whose particles stand behind identifiers without a space. */
const UNSPACED = `(?=[\\p{L}\\p{M}\\p{N}])[${[
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Hangul',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('')}]`;
const PART = `(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+`;

/** A run of an unspaced script, or letters and digits joined by `-`, `_`, `.`, `'`, `@`. */
const WORD = new RegExp(`(?:${UNSPACED})+|${PART}(?:[-_.'@]${PART})*`, 'gu');

/** What surely names one thing. Mixed case alone does not: `mRNA` is a word of its field (docs/performance.md). */
const IDENTIFIER = /[\p{N}_]/u;

/** What of a text an embedding model cannot read: the vector says nothing about it. */
export interface Unreadable {
  /** Of the characters of its words, 0 to 1. */
  readonly share: number;
  /** Those of its words that hold a digit or an underscore: there are no others for what they name. */
  readonly identifiers: readonly string[];
}

/** Which words of a question a model may be unable to read at all. */
export type Doubtful = keyof typeof DOUBTFUL;

const DOUBTFUL = {
  /** A model of one language. */
  every: /^/,
  /** A model of every script: there the pieces are short by nature, and identifiers are Latin letters and digits. */
  latin: /[\p{Script=Latin}\p{N}]/u,
  /** Of a model of which only the tokenizer is supposed: what looks like an identifier. */
  identifiers: /[\p{N}_]|\p{Ll}\p{Lu}/u,
} as const;

/**
 * What an embedding model can read. A tokenizer breaks what its model never learned into crumbs, and the vector of a text
 * of crumbs says nothing about it.
 */
export class Readability {
  constructor(
    private readonly tokenizer: Pick<Tokenizer, 'pieces'>,
    private readonly doubtful: Doubtful,
  ) {}

  static async of(tokenizer: TokenizerName, doubtful: Doubtful): Promise<Readability> {
    return new Readability(await loadTokenizer(tokenizer), doubtful);
  }

  /**
   * A word cannot be read that has two pieces and more at fewer than 2.6 characters a piece, or an unknown piece. What is no
   * part of a word does not count; a text without words is readable.
   */
  unreadable(text: string): Unreadable {
    const identifiers: string[] = [];
    let characters = 0;
    let unread = 0;
    for (const [word] of text.slice(0, MAX_QUESTION).normalize('NFC').matchAll(WORD)) {
      const length = Array.from(word).length;
      characters += length;
      if (!DOUBTFUL[this.doubtful].test(word) || this.reads(word, length)) continue;
      if (IDENTIFIER.test(word)) identifiers.push(word);
      unread += length;
    }
    return { share: characters === 0 ? 0 : unread / characters, identifiers };
  }

  private reads(word: string, length: number): boolean {
    if (length > MAX_WORD) return false;
    const pieces = this.tokenizer.pieces(word);
    return pieces !== null && (pieces < 2 || length / pieces >= LEAST_CHARACTERS_A_PIECE);
  }
}
