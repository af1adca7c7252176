import type { Settings } from '../config/settings.js';
import type { TokenCounter } from './piece.js';

/** Which tokenizer stands for the embedding model. */
export type TokenizerName = 'word-piece' | 'byte-pair';

/** The tokenizer that measures chunks for the configured embedding model. */
export function chooseTokenizer({ EMBEDDING_MODEL }: Pick<Settings, 'EMBEDDING_MODEL'>): TokenizerName {
  return EMBEDDING_MODEL === 'local' ? 'word-piece' : 'byte-pair';
}

/** Loads a tokenizer; either takes some 100 ms and 10 to 50 MB. */
export async function createTokenCounter(name: TokenizerName): Promise<TokenCounter> {
  if (name === 'byte-pair') return new (await import('./byte-pair-counter.js')).BytePairCounter();
  return new (await import('./word-piece-counter.js')).WordPieceCounter();
}
