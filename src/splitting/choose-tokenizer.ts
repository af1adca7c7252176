import type { Settings } from '../config/settings.js';
import { BytePairCounter } from './byte-pair-counter.js';
import type { TokenCounter, TokenizerName } from './token-counter.js';
import { WordPieceCounter } from './word-piece-counter.js';

/** The tokenizer that measures chunks for the configured embedding model. */
export function chooseTokenizer({ EMBEDDING_MODEL }: Pick<Settings, 'EMBEDDING_MODEL'>): TokenizerName {
  return EMBEDDING_MODEL === 'local' ? 'word-piece' : 'byte-pair';
}

export function createTokenCounter(name: TokenizerName): TokenCounter {
  return name === 'word-piece' ? new WordPieceCounter() : new BytePairCounter();
}
