/** What is known of the way an embedding model takes a text apart. */
export interface Tokenizer {
  /**
   * Tokens of a text, without the special ones that the model puts around it. Counts of neighbouring texts need not add
   * up exactly.
   */
  count(text: string): number;
  /** Tokens of a word that stands among others; null: no token of the model stands for some part of it. */
  pieces(word: string): number | null;
}

/** Of a model that runs here. */
export interface LocalTokenizer extends Tokenizer {
  /** Ids of the tokens, with the special ones at both ends. */
  encode(text: string): number[];
}
