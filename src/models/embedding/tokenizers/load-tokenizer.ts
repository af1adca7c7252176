import { LOCAL_MODELS, localModel, type LocalModel } from '../../../config/local-models.js';
import type { Settings } from '../../../config/settings.js';
import { modelFolder } from '../local/model-folder.js';
import type { LocalTokenizer, Tokenizer } from './tokenizer.js';

export type TokenizerName = LocalModel['tokenizer'] | 'byte-pair';

/** Returns the tokenizer that measures chunks for the configured embedding model. */
export function chooseTokenizer({ EMBEDDING_MODEL }: Pick<Settings, 'EMBEDDING_MODEL'>): TokenizerName {
  return localModel(EMBEDDING_MODEL)?.tokenizer ?? 'byte-pair';
}

/**
 * Loads a tokenizer in 50 to 350 ms, with 18 to 70 MB of memory.
 * @throws ConfigurationError when its model is not installed.
 */
export async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  if (name === 'byte-pair') return new (await import('./byte-pair.js')).BytePairTokenizer();
  const model = Object.values(LOCAL_MODELS).find(({ tokenizer }) => tokenizer === name) ?? LOCAL_MODELS.local;
  return loadLocalTokenizer(name, modelFolder(model));
}

/** @param folder folder of the model's files */
export async function loadLocalTokenizer(
  name: LocalModel['tokenizer'],
  folder: string,
): Promise<LocalTokenizer> {
  if (name === 'unigram') return new (await import('./unigram.js')).UnigramTokenizer(folder);
  return new (await import('./word-piece.js')).WordPieceTokenizer(folder);
}
