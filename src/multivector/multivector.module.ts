import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LocalTextModel } from '../embedding/local/local-text-model.js';
import { HttpPageEmbedder } from './http-page-embedder.js';
import { LocalPageEmbedder } from './local-page-embedder.js';
import { PageEmbedder } from './page-embedder.js';

/** The embedder of pages that MULTIVECTOR names; null with `none`. */
@Module({
  imports: [EmbeddingModule],
  providers: [
    {
      provide: PageEmbedder,
      inject: [SETTINGS, LocalTextModel],
      useFactory: (settings: Settings, textModel: LocalTextModel): PageEmbedder | null => {
        switch (settings.MULTIVECTOR) {
          case 'local':
            return new LocalPageEmbedder(textModel);
          case 'http':
            return new HttpPageEmbedder(settings);
          case 'none':
            return null;
        }
      },
    },
  ],
  exports: [PageEmbedder],
})
export class MultivectorModule {}
