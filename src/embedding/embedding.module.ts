import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { packageRoot } from '../config/package-root.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from './embedder.js';
import { knownModel, USUAL_COSINE_FLOOR } from './known-models.js';
import { LocalEmbedder } from './local/local-embedder.js';
import { LocalTextModel } from './local/local-text-model.js';
import { QueryVectorCache } from './query-vector-cache.js';
import { Readability } from './readability.js';

/**
 * The embedder that EMBEDDING_MODEL names, behind a cache of query vectors; and the bundled text model, which starts
 * with its first use when something else than the embedder needs it.
 */
@Module({
  providers: [
    {
      provide: LocalTextModel,
      useFactory: () => new LocalTextModel(join(packageRoot, 'models', 'all-MiniLM-L6-v2')),
    },
    {
      provide: Embedder,
      inject: [SETTINGS, LocalTextModel],
      useFactory: async (settings: Settings, textModel: LocalTextModel) =>
        new QueryVectorCache(await chosenEmbedder(settings, textModel)),
    },
  ],
  exports: [Embedder, LocalTextModel],
})
export class EmbeddingModule {}

async function chosenEmbedder(settings: Settings, textModel: LocalTextModel): Promise<Embedder> {
  if (settings.EMBEDDING_MODEL !== 'local') {
    const { OpenAiEmbedder } = await import('./openai-embedder.js');
    return OpenAiEmbedder.connect(settings);
  }
  const [readability] = await Promise.all([Readability.of('word-piece', 'every'), textModel.start()]);
  const { cosineFloor = USUAL_COSINE_FLOOR } = knownModel('all-MiniLM-L6-v2');
  return new LocalEmbedder(textModel, readability, settings.EMBEDDING_COSINE_FLOOR ?? cosineFloor);
}
