import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { RerankingModule } from '../reranking/reranking.module.js';
import { ChunkSearch } from './chunk-search.js';
import { RetrievalController } from './retrieval.controller.js';
import { RetrievalService } from './retrieval.service.js';

@Module({
  imports: [ChunksModule, EmbeddingModule, RerankingModule],
  controllers: [RetrievalController],
  providers: [ChunkSearch, RetrievalService],
  exports: [RetrievalService],
})
export class RetrievalModule {}
