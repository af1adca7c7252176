/**
 * Counts tokens as the embedding model does, without the special tokens that it puts around a text. Counts of
 * neighbouring texts need not add up exactly; what matters is the count of the text that is embedded.
 */
export interface TokenCounter {
  count(text: string): number;
}

/** Which tokenizer stands for the embedding model. */
export type TokenizerName = 'word-piece' | 'byte-pair';
