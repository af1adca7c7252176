import type { LocalTokenizer, Tokenizer } from './tokenizer.js';

/** The tokenizer of a model whose files are installed. */
export interface LocalTokenizerChoice {
  readonly kind: 'word-piece' | 'unigram';
  /** Folder of the model: `tokenizer.json` and `tokenizer_config.json`, or `pieces.bin` of a unigram tokenizer. */
  readonly folder: string;
}

/** The tokenizer that measures chunks; `byte-pair` has the tokens of o200k_base and needs no files. */
export type TokenizerChoice = { readonly kind: 'byte-pair' } | LocalTokenizerChoice;

export const BYTE_PAIR: TokenizerChoice = { kind: 'byte-pair' };

/** Loads a tokenizer in 50 to 350 ms, with 18 to 70 MB of memory. */
export async function loadTokenizer(choice: TokenizerChoice): Promise<Tokenizer> {
  if (choice.kind !== 'byte-pair') return loadLocalTokenizer(choice);
  return new (await import('./byte-pair.js')).BytePairTokenizer();
}

export async function loadLocalTokenizer({ kind, folder }: LocalTokenizerChoice): Promise<LocalTokenizer> {
  if (kind === 'unigram') return new (await import('./unigram.js')).UnigramTokenizer(folder);
  return new (await import('./word-piece.js')).WordPieceTokenizer(folder);
}
