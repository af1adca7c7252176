import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { HttpPageEmbedder } from './http-page-embedder.js';
import { PageEmbedder } from './page-embedder.js';

/** The embedder of pages that MULTIVECTOR names; null with `none`: pages are found by the passages on them. */
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
