import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { ChunkRepository } from './chunk.repository.js';
import { ChunkSearch } from './chunk-search.js';
import { ChunkWriter } from './chunk-writer.js';
import { EmbeddingSpace } from './embedding-space.js';

@Module({
  imports: [EmbeddingModule],
  providers: [ChunkRepository, ChunkSearch, ChunkWriter, EmbeddingSpace],
  exports: [ChunkRepository, ChunkSearch, ChunkWriter, EmbeddingSpace],
})
export class ChunksModule {}
