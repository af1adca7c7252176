import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { MultivectorModule } from '../multivector/multivector.module.js';
import { ParsingModule } from '../parsing/parsing.module.js';
import { RerankingModule } from '../reranking/reranking.module.js';
import { BatchController } from './batch.controller.js';
import { BatchService } from './batch.service.js';
import { ImageContents } from './image-contents.js';
import { ImageQuestions } from './image-question.js';
import { MatchSearch } from './match-search.js';
import { Neighbours } from './neighbours.js';
import { PagesOfPassages } from './pages-of-passages.js';
import { RetrievalController } from './retrieval.controller.js';
import { RetrievalService } from './retrieval.service.js';

@Module({
  imports: [ChunksModule, CorpusModule, EmbeddingModule, MultivectorModule, ParsingModule, RerankingModule],
  controllers: [RetrievalController, BatchController],
  providers: [
    BatchService,
    ImageContents,
    ImageQuestions,
    MatchSearch,
    Neighbours,
    PagesOfPassages,
    RetrievalService,
  ],
  exports: [RetrievalService],
})
export class RetrievalModule {}
