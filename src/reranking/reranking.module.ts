import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LocalTextModel } from '../embedding/local/local-text-model.js';
import { HttpReranker } from './http-reranker.js';
import { LocalReranker } from './local-reranker.js';
import { Reranker } from './reranker.js';

/** The reranker that RERANKER names; null with `none`. */
@Module({
  imports: [EmbeddingModule],
  providers: [
    {
      provide: Reranker,
      inject: [SETTINGS, LocalTextModel],
      useFactory: (settings: Settings, textModel: LocalTextModel): Reranker | null => {
        if (settings.RERANKER === 'http') return new HttpReranker(settings);
        return settings.RERANKER === 'local' ? new LocalReranker(textModel) : null;
      },
    },
  ],
  exports: [Reranker],
})
export class RerankingModule {}
