import { startFakeEmbeddings } from '../test/support/fake-embeddings.mjs';

/** Settings of both bundled models. */
export const BUNDLED = [
  ['local', { EMBEDDING_MODEL: 'local' }],
  ['local-multilingual', { EMBEDDING_MODEL: 'local-multilingual' }],
];

/**
 * A fake of a hosted model that the service does not know. Texts with common words have similar vectors; subword pieces
 * do not count as words.
 *
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
