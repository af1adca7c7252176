import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { ParsingModule } from '../parsing/parsing.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import { ChunkStaging } from './chunk-staging.js';
import { Drafting } from './drafting.js';
import { FailureSettlement } from './failure-settlement.js';
import { IngestionWorker } from './ingestion-worker.js';
import { JobCompletion } from './job-completion.js';
import { JobRepository } from './job.repository.js';
import { ObjectRemovalRepository } from './object-removal.repository.js';
import { ObjectSweeper } from './object-sweeper.js';
import { Preparation } from './preparation.js';
import { VersionWriter } from './version-writer.js';
import { WakeUp } from './wake-up.js';

@Module({
  imports: [ChunksModule, CorpusModule, EmbeddingModule, ParsingModule, StorageModule],
  providers: [
    ChunkEmbedder,
    ChunkStaging,
    Drafting,
    FailureSettlement,
    IngestionWorker,
    JobCompletion,
    JobRepository,
    ObjectRemovalRepository,
    ObjectSweeper,
    Preparation,
    VersionWriter,
    WakeUp,
  ],
  exports: [
    ChunkEmbedder,
    Drafting,
    JobRepository,
    ObjectRemovalRepository,
    ObjectSweeper,
    VersionWriter,
    WakeUp,
    CorpusModule,
    ChunksModule,
    StorageModule,
    ParsingModule,
  ],
})
export class IngestionModule {}
