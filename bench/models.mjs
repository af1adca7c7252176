import { startFakeEmbeddings } from '../test/support/fake-embeddings.mjs';

/** Both bundled models by the settings that choose them. */
export const BUNDLED = [
  ['local', { EMBEDDING_MODEL: 'local' }],
  ['local-multilingual', { EMBEDDING_MODEL: 'local-multilingual' }],
];

/**
 * A hosted model of which nothing is known: one whose vectors are near each other when texts share words, as crumbs of
 * words are no words.
 * @returns its settings, and `close()`
 */
export async function startHostedModel() {
  const { url, close } = await startFakeEmbeddings({ dimensions: 384 });
  const settings = {
    EMBEDDING_MODEL: 'hosted_vllm/some-model',
    EMBEDDING_API_BASE: url,
    EMBEDDING_DIMENSIONS: '384',
  };
  return { settings, close };
}
