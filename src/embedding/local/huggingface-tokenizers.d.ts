/**
 * The part of the package that is used. Its own declarations import each other without file extensions, which
 * TypeScript cannot follow in an ESM project.
 */
declare module '@huggingface/tokenizers' {
  export class Tokenizer {
    /** @param tokenizer the parsed `tokenizer.json`. @param config the parsed `tokenizer_config.json`. */
    constructor(tokenizer: object, config: object);

    /** Null where the tokenizer has none. */
    readonly normalizer: { normalize(text: string): string } | null;
    readonly pre_tokenizer: { pre_tokenize(text: string): string[] } | null;

    get_vocab(): Map<string, number>;

    /** Ids of the tokens, special ones included unless told otherwise; nothing is cut. */
    encode(
      text: string,
      options?: { add_special_tokens?: boolean },
    ): { ids: number[]; tokens: string[]; attention_mask: number[] };
  }
}
