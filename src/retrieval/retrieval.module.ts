import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { RerankingModule } from '../models/reranking/reranking.module.js';
import { BatchController, RetrievalController } from './retrieval.controller.js';
import { RetrievalService } from './retrieval.service.js';

@Module({
  imports: [ChunksModule, CorpusModule, PagesModule, RerankingModule],
  controllers: [RetrievalController, BatchController],
  providers: [RetrievalService],
  exports: [RetrievalService],
})
export class RetrievalModule {}
