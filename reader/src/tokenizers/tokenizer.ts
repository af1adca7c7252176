export interface Tokenizer {
  /**
   * Counts the tokens of a text without special tokens. Counts of adjacent texts do not add up exactly.
   */
  count(text: string): number;
  /** Counts the tokens of a word inside a text; null for a word with an unknown token. */
  pieces(word: string): number | null;
}

export interface LocalTokenizer extends Tokenizer {
  /** Returns token ids with special tokens at both ends. */
  encode(text: string): number[];
}
