import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { HttpPageEmbedder } from './http-page-embedder.js';
import { PageEmbedder } from './page-embedder.js';

/** Provides the page embedder that MULTIVECTOR selects; null for `none`. Pages are then found by their passages. */
@Module({
  providers: [
    {
      provide: PageEmbedder,
      inject: [SETTINGS],
      useFactory: (settings: Settings): PageEmbedder | null =>
        settings.MULTIVECTOR === 'http' ? new HttpPageEmbedder(settings) : null,
    },
  ],
  exports: [PageEmbedder],
})
export class MultivectorModule {}
