import { Module } from '@nestjs/common';
import { LOCAL_MODELS, localModel } from '../config/local-models.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Embedder } from './embedder.js';
import { LocalEmbedder } from './local/local-embedder.js';
import { LocalTextModel } from './local/local-text-model.js';
import { QueryVectorCache } from './query-vector-cache.js';

/**
 * The embedder that EMBEDDING_MODEL names, behind a cache of query vectors; and a text model of this machine, the one of
 * the embedder where that is one, which starts with its first use when something else needs it.
 */
@Module({
  providers: [
    {
      provide: LocalTextModel,
      inject: [SETTINGS],
      useFactory: ({ EMBEDDING_MODEL: name }: Settings) =>
        new LocalTextModel(localModel(name) ?? LOCAL_MODELS.local),
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
  const { OpenAiEmbedder } = await import('./openai-embedder.js');
  return OpenAiEmbedder.connect(settings);
}
