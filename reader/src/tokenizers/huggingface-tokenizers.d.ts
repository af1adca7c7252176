/**
 * Declares the parts of the package that this project uses. The package's own declarations import each other without
 * file extensions, which TypeScript cannot resolve in an ESM project.
 */
declare module '@huggingface/tokenizers' {
  export class Tokenizer {
    /** @param tokenizer the parsed `tokenizer.json`. @param config the parsed `tokenizer_config.json`. */
    constructor(tokenizer: object, config: object);

    /** Null for a tokenizer without a normalizer. */
    readonly normalizer: { normalize(text: string): string } | null;
    readonly pre_tokenizer: { pre_tokenize(text: string): string[] } | null;

    get_vocab(): Map<string, number>;

    /** Returns token ids without truncation, including special tokens unless disabled. */
    encode(
      text: string,
      options?: { add_special_tokens?: boolean },
    ): { ids: number[]; tokens: string[]; attention_mask: number[] };
  }
}
