import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { HttpReranker } from './http-reranker.js';
import { Reranker } from './reranker.js';

/** Provides the reranker selected by RERANKER; null with `none`. */
@Module({
  providers: [
    {
      provide: Reranker,
      inject: [SETTINGS],
      useFactory: (settings: Settings): Reranker | null =>
        settings.RERANKER === 'http' ? new HttpReranker(settings) : null,
    },
  ],
  exports: [Reranker],
})
export class RerankingModule {}
