import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { MultivectorModule } from '../multivector/multivector.module.js';
import { ParsingModule } from '../parsing/parsing.module.js';
import { RerankingModule } from '../reranking/reranking.module.js';
import { MatchSearch } from './match-search.js';
import { ImageQuestions } from './query-image.js';
import { BatchController, RetrievalController } from './retrieval.controller.js';
import { RetrievalService } from './retrieval.service.js';

@Module({
  imports: [ChunksModule, CorpusModule, EmbeddingModule, MultivectorModule, ParsingModule, RerankingModule],
  controllers: [RetrievalController, BatchController],
  providers: [ImageQuestions, MatchSearch, RetrievalService],
  exports: [RetrievalService],
})
export class RetrievalModule {}
