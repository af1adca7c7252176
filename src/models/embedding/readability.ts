import { loadTokenizer, type Tokenizer } from '#reader';
import { tokenizerNamed, type TokenizerName } from './tokenizer-choice.js';

/**
 * Minimum mean length of the subwords of a known word, in characters. Out-of-vocabulary words are split into single
 * letters and pairs of letters.
 */
const MIN_CHARACTERS_PER_SUBWORD = 2.6;

/** Number of UTF-16 code units of a question that are analysed. A longer prefix hardly changes the share. */
const MAX_QUESTION = 10_000;

/**
 * Maximum length of a word in code points. Vocabularies have no longer words, and some tokenizers are slow on longer
 * words.
 */
const MAX_WORD = 100;

/** Scripts without spaces between words, and Korean, whose particles follow identifiers without a space. */
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

/** Matches identifiers. Mixed case is no criterion: `mRNA` is a common word (docs/project/performance.md). */
const IDENTIFIER = /[\p{N}_]/u;

/** Out-of-vocabulary words of a text. The vector of the text does not represent them. */
export interface Unreadable {
  /** Out-of-vocabulary share of the characters of all words, 0 to 1. */
  readonly share: number;
  /** Out-of-vocabulary words with a digit or an underscore, which have no synonyms. */
  readonly identifiers: readonly string[];
}

/** Selects the words to check. All other words count as readable. */
export type CheckedWords = keyof typeof CHECKED_WORDS;

const CHECKED_WORDS = {
  /** For a model of one language. */
  every: /^/,
  /**
   * For a multilingual model: its subwords of other scripts are short even for known words. Identifiers have Latin
   * letters and digits.
   */
  latin: /[\p{Script=Latin}\p{N}]/u,
  /** For a model with an unknown tokenizer. */
  identifiers: /[\p{N}_]|\p{Ll}\p{Lu}/u,
} as const;

/**
 * Detects out-of-vocabulary words of an embedding model. A tokenizer splits such words into many short subwords, so the
 * vector does not represent their meaning.
 */
export class Readability {
  constructor(
    private readonly tokenizer: Pick<Tokenizer, 'pieces'>,
    private readonly checkedWords: CheckedWords,
  ) {}

  static async of(tokenizer: TokenizerName, checkedWords: CheckedWords): Promise<Readability> {
    return new Readability(await loadTokenizer(tokenizerNamed(tokenizer)), checkedWords);
  }

  /**
   * Returns the out-of-vocabulary words of a text. A word is out of vocabulary if it has several subwords of fewer than 2.6
   * characters on average, or an unknown subword. A text without words is readable.
   */
  unreadable(text: string): Unreadable {
    const identifiers: string[] = [];
    let characters = 0;
    let unreadable = 0;
    for (const [word] of text.slice(0, MAX_QUESTION).normalize('NFC').matchAll(WORD)) {
      const length = Array.from(word).length;
      characters += length;
      if (!CHECKED_WORDS[this.checkedWords].test(word) || this.reads(word, length)) continue;
      if (IDENTIFIER.test(word)) identifiers.push(word);
      unreadable += length;
    }
    return { share: characters === 0 ? 0 : unreadable / characters, identifiers };
  }

  private reads(word: string, length: number): boolean {
    if (length > MAX_WORD) return false;
    const subwords = this.tokenizer.pieces(word);
    return subwords !== null && (subwords < 2 || length / subwords >= MIN_CHARACTERS_PER_SUBWORD);
  }
}

/** Loads the tokenizer at the first question, because it takes up to 350 ms and 70 MB. */
export class LazyReadability {
  private loaded: Promise<Readability> | undefined;

  constructor(
    private readonly tokenizer: TokenizerName,
    private readonly checkedWords: CheckedWords,
  ) {}

  async unreadable(text: string): Promise<Unreadable> {
    this.loaded ??= Readability.of(this.tokenizer, this.checkedWords);
    return (await this.loaded).unreadable(text);
  }
}
