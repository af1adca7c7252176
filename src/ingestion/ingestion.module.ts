import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { ParsingModule } from '../parsing/parsing.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import { IngestionWorker } from './ingestion-worker.js';
import { JobRepository } from './job.repository.js';
import { Preparation } from './preparation.js';
import { WakeUp } from './wake-up.js';

@Module({
  imports: [ChunksModule, CorpusModule, EmbeddingModule, ParsingModule, StorageModule],
  providers: [ChunkEmbedder, IngestionWorker, JobRepository, Preparation, WakeUp],
  exports: [
    ChunkEmbedder,
    JobRepository,
    Preparation,
    WakeUp,
    CorpusModule,
    ChunksModule,
    StorageModule,
    ParsingModule,
  ],
})
export class IngestionModule {}
