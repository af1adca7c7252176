import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../../models/embedding/embedding.module.js';
import { MultivectorModule } from '../../models/multivector/multivector.module.js';
import { EmbeddingSpace, PageSpace } from './vector-space.js';

/** The vector spaces of chunks and pages. */
@Module({
  imports: [EmbeddingModule, MultivectorModule],
  providers: [EmbeddingSpace, PageSpace],
  exports: [EmbeddingSpace, PageSpace],
})
export class VectorsModule {}
