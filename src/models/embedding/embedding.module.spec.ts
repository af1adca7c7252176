import { startFakeEmbeddings } from '../../../test/support/fake-embeddings.mjs';
import { startModules } from '../../../test/support/start-modules.js';
import { Embedder } from './embedder.js';
import { EmbeddingModule } from './embedding.module.js';

const start = (environment: Record<string, string>) => startModules(environment, EmbeddingModule);

describe('EmbeddingModule', () => {
  it('provides the bundled model by default, and stops it with the service', async () => {
    const context = await start({});
    const embedder = context.get(Embedder);
    expect(embedder).toMatchObject({ model: 'local/all-MiniLM-L6-v2', dimensions: 384, cosineFloor: -1 });
    expect((await embedder.unreadable('гавань')).share).toBe(1);
    await expect(embedder.embedQuery('harbour')).resolves.toHaveLength(384);
    await context.close();
    await expect(embedder.embedDocuments(['harbour'])).rejects.toMatchObject({ status: 503 });
  });

  it('provides the endpoint of EMBEDDING_MODEL, and caches query vectors', async () => {
    const fake = await startFakeEmbeddings({ dimensions: 16 });
    const context = await start({
      EMBEDDING_MODEL: 'hosted_vllm/some-model',
      EMBEDDING_API_BASE: fake.url,
      EMBEDDING_DIMENSIONS: '16',
    });
    const embedder = context.get(Embedder);
    expect(embedder).toMatchObject({ model: 'hosted_vllm/some-model', dimensions: 16, cosineFloor: -1 });
    expect((await embedder.unreadable('гавань')).share).toBe(0);
    expect((await embedder.unreadable('ERR_3F2A91')).share).toBe(1);
    const first = await embedder.embedQuery('harbour');
    await expect(embedder.embedQuery('harbour')).resolves.toEqual(first);
    expect(fake.requests).toHaveLength(1);
    await context.close();
    await fake.close();
  });

  it('applies EMBEDDING_COSINE_FLOOR, and recognises English-only models', async () => {
    const fake = await startFakeEmbeddings({ dimensions: 384 });
    const context = await start({
      EMBEDDING_MODEL: 'hosted_vllm/BAAI/bge-small-en-v1.5',
      EMBEDDING_API_BASE: fake.url,
      EMBEDDING_DIMENSIONS: '384',
      EMBEDDING_COSINE_FLOOR: '-.25',
    });
    const embedder = context.get(Embedder);
    expect(embedder.cosineFloor).toBe(-0.25);
    expect((await embedder.unreadable('гавань')).share).toBe(1);
    await context.close();
    await fake.close();
  });

  it.each(['high', '1', '-1.01', '0.1.2'])('rejects %j as EMBEDDING_COSINE_FLOOR', async (floor) => {
    await expect(start({ EMBEDDING_COSINE_FLOOR: floor })).rejects.toThrow(
      'expects a number from -1 to 0.95',
    );
  });

  it.each([
    [
      { EMBEDDING_DIMENSIONS: '512' },
      'EMBEDDING_DIMENSIONS must be 384 or unset with EMBEDDING_MODEL=local-multilingual',
    ],
    [{ CHUNK_SIZE: '509' }, 'CHUNK_SIZE is 509, but the local model accepts at most 508 tokens'],
  ])('rejects settings beyond the multilingual model: %j', async (settings, sentence) => {
    await expect(start({ EMBEDDING_MODEL: 'local-multilingual', ...settings })).rejects.toThrow(sentence);
  });

  it('fails to start without a required setting', async () => {
    await expect(start({ EMBEDDING_MODEL: 'openai/text-embedding-3-small' })).rejects.toThrow(
      'EMBEDDING_API_KEY is required',
    );
  });
});
