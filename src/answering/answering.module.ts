import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { HttpModule } from '../http/http.module.js';
import { EmbeddingModule } from '../models/embedding/embedding.module.js';
import { LlmModule } from '../models/llm/llm.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { AnsweringService } from './answering.service.js';
import { EntityService } from './entities/entity.service.js';
import { ModelAnswers } from './model-answers.js';
import { BestPassages } from './passages/best-passages.js';
import { PreparationService } from './preparation.service.js';

/** Answers turns of conversations over documents: retrieval, prompt, model, citations. Has no routes. */
@Module({
  imports: [ChunksModule, CorpusModule, EmbeddingModule, HttpModule, LlmModule, RetrievalModule],
  providers: [AnsweringService, BestPassages, EntityService, ModelAnswers, PreparationService],
  exports: [AnsweringService],
})
export class AnsweringModule {}
