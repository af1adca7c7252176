import type { Settings } from '../../config/settings.js';
import type { Tokenizer } from './tokenizer.js';

export type TokenizerName = 'word-piece' | 'byte-pair';

/** The tokenizer that measures chunks for the configured embedding model. */
export function chooseTokenizer({ EMBEDDING_MODEL }: Pick<Settings, 'EMBEDDING_MODEL'>): TokenizerName {
  return EMBEDDING_MODEL === 'local' ? 'word-piece' : 'byte-pair';
}

/** Loads a tokenizer; either takes some 100 ms and 25 to 70 MB. */
export async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  if (name === 'byte-pair') return new (await import('./byte-pair.js')).BytePairTokenizer();
  return new (await import('./word-piece.js')).WordPieceTokenizer();
}
