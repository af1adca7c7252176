import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../models/embedding/embedding.module.js';
import { VectorsModule } from './vectors/vectors.module.js';
import { ChunkRepository } from './chunk.repository.js';
import { ChunkSearch } from './chunk-search.js';
import { ChunkWriter } from './chunk-writer.js';

@Module({
  imports: [EmbeddingModule, VectorsModule],
  providers: [ChunkRepository, ChunkSearch, ChunkWriter],
  exports: [ChunkRepository, ChunkSearch, ChunkWriter],
})
export class ChunksModule {}
