import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { ChunkRepository } from './chunk.repository.js';
import { EmbeddingSpace } from './embedding-space.js';

@Module({
  imports: [EmbeddingModule],
  providers: [ChunkRepository, EmbeddingSpace],
  exports: [ChunkRepository, EmbeddingSpace],
})
export class ChunksModule {}
