import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { HttpPageEmbedder } from './http-page-embedder.js';
import { PageEmbedder } from './page-embedder.js';

/** Provides the page embedder selected by MULTIVECTOR; null with `none`, when passages find the pages. */
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
