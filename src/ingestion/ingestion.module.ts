import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { VectorsModule } from '../chunks/vectors/vectors.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { EmbeddingModule } from '../models/embedding/embedding.module.js';
import { LlmModule } from '../models/llm/llm.module.js';
import { MultivectorModule } from '../models/multivector/multivector.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { StoreOwnership } from '../storage/store-ownership.js';
import { ChunkEmbedder } from './chunk-embedder.js';
import { ChunkStaging } from './chunk-staging.js';
import { ContentReader } from './content-reader.js';
import { IngestionService } from './ingestion.service.js';
import { IngestionWorker } from './ingestion-worker.js';
import { JobQueue } from './job-queue.js';
import { ObjectTombstones } from './object-tombstones.js';
import { PageStaging } from './page-staging.js';
import { Retitling } from './retitling.js';
import { ContentRules } from './rules/content-rules.js';
import { RuleRunner } from './rules/rule-runner.js';
import { VersionWriter } from './version-writer.js';

@Module({
  imports: [
    ChunksModule,
    PagesModule,
    VectorsModule,
    CorpusModule,
    EmbeddingModule,
    LlmModule,
    MultivectorModule,
    ReadingModule,
    StorageModule,
  ],
  providers: [
    ChunkEmbedder,
    ChunkStaging,
    ContentReader,
    ContentRules,
    IngestionService,
    IngestionWorker,
    JobQueue,
    ObjectTombstones,
    PageStaging,
    Retitling,
    RuleRunner,
    StoreOwnership,
    VersionWriter,
  ],
  exports: [IngestionService, JobQueue, ObjectTombstones, Retitling, StoreOwnership],
})
export class IngestionModule {}
