import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { LlmModule } from '../llm/llm.module.js';
import { ParsingModule } from '../parsing/parsing.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import { ChunkMetadata } from './chunk-metadata.js';
import { ChunkStaging } from './chunk-staging.js';
import { Drafting } from './drafting.js';
import { FailureSettlement } from './failure-settlement.js';
import { IngestionWorker } from './ingestion-worker.js';
import { JobCompletion } from './job-completion.js';
import { JobRepository } from './job.repository.js';
import { ObjectRemovalRepository } from './object-removal.repository.js';
import { ObjectSweeper } from './object-sweeper.js';
import { Preparation } from './preparation.js';
import { ContentRules } from './rules/ruled-content.js';
import { RuleRunner } from './rules/rule-runner.js';
import { SourceReading } from './source-reading.js';
import { VersionWriter } from './version-writer.js';
import { WakeUp } from './wake-up.js';

@Module({
  imports: [ChunksModule, CorpusModule, EmbeddingModule, LlmModule, ParsingModule, StorageModule],
  providers: [
    ChunkEmbedder,
    ChunkMetadata,
    ChunkStaging,
    ContentRules,
    Drafting,
    FailureSettlement,
    IngestionWorker,
    JobCompletion,
    JobRepository,
    ObjectRemovalRepository,
    ObjectSweeper,
    Preparation,
    RuleRunner,
    SourceReading,
    VersionWriter,
    WakeUp,
  ],
  exports: [
    ChunkEmbedder,
    ChunkMetadata,
    ContentRules,
    Drafting,
    JobRepository,
    ObjectRemovalRepository,
    ObjectSweeper,
    RuleRunner,
    VersionWriter,
    WakeUp,
    CorpusModule,
    ChunksModule,
    StorageModule,
    ParsingModule,
  ],
})
export class IngestionModule {}
