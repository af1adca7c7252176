import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { HttpModule } from '../http/http.module.js';
import { MultivectorModule } from '../multivector/multivector.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { ChunkRepository } from './chunk.repository.js';
import { ChunkSearch } from './chunk-search.js';
import { ChunkWriter } from './chunk-writer.js';
import { MaxSimThreads } from './max-sim-threads.js';
import { PageImages } from './page-images.js';
import { PageRepository } from './page.repository.js';
import { PageSearch } from './page-search.js';
import { EmbeddingSpace, PageSpace } from './vector-space.js';

/** Storage and search of chunks and page images. */
@Module({
  imports: [EmbeddingModule, HttpModule, MultivectorModule, StorageModule],
  providers: [
    ChunkRepository,
    ChunkSearch,
    ChunkWriter,
    EmbeddingSpace,
    MaxSimThreads,
    PageImages,
    PageRepository,
    PageSearch,
    PageSpace,
  ],
  exports: [
    ChunkRepository,
    ChunkSearch,
    ChunkWriter,
    EmbeddingSpace,
    PageImages,
    PageRepository,
    PageSearch,
    PageSpace,
  ],
})
export class ChunksModule {}
