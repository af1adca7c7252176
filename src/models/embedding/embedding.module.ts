import { Module } from '@nestjs/common';
import { LOCAL_MODELS, localModel } from '../../config/local-models.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Embedder } from './embedder.js';
import { LocalEmbedder, LocalTextModel } from './local/local-text-model.js';
import { QueryVectorCache } from './query-vector-cache.js';

/**
 * Provides the embedder of EMBEDDING_MODEL behind a query vector cache, and a local text model. A local embedder shares
 * this text model. Otherwise the text model starts on first use.
 */
@Module({
  providers: [
    {
      provide: LocalTextModel,
      inject: [SETTINGS],
      useFactory: ({ EMBEDDING_MODEL: name, EMBEDDING_THREADS: threads }: Settings) =>
        new LocalTextModel(localModel(name) ?? LOCAL_MODELS.local, threads),
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
  if (localModel(settings.EMBEDDING_MODEL) !== undefined) {
    return LocalEmbedder.start(textModel, settings.EMBEDDING_COSINE_FLOOR);
  }
  const { HttpEmbedder } = await import('./http-embedder.js');
  return HttpEmbedder.connect(settings);
}
