import { BYTE_PAIR, type TokenizerChoice } from '#reader';
import { LOCAL_MODELS, localModel, type LocalModel } from '../../config/local-models.js';
import type { Settings } from '../../config/settings.js';
import { modelFolder } from './local/model-folder.js';

export type TokenizerName = LocalModel['tokenizer'] | 'byte-pair';

/**
 * Returns the tokenizer that measures chunks for the configured embedding model.
 * @throws ConfigurationError when its model is not installed.
 */
export function chooseTokenizer({ EMBEDDING_MODEL }: Pick<Settings, 'EMBEDDING_MODEL'>): TokenizerChoice {
  return tokenizerNamed(localModel(EMBEDDING_MODEL)?.tokenizer ?? 'byte-pair');
}

/** @throws ConfigurationError when its model is not installed. */
export function tokenizerNamed(name: TokenizerName): TokenizerChoice {
  if (name === 'byte-pair') return BYTE_PAIR;
  const model = Object.values(LOCAL_MODELS).find(({ tokenizer }) => tokenizer === name) ?? LOCAL_MODELS.local;
  return { kind: name, folder: modelFolder(model) };
}
