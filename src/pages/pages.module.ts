import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { HttpModule } from '../http/http.module.js';
import { MultivectorModule } from '../models/multivector/multivector.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { VectorsModule } from '../chunks/vectors/vectors.module.js';
import { MaxSimThreads } from './max-sim-threads.js';
import { PageImages } from './page-images.js';
import { PageRepository } from './page.repository.js';
import { PageRetrieval } from './page-retrieval.js';
import { PageSearch } from './page-search.js';
import { ImageQuestions } from './query-image.js';

/** Storage and search of page images, and images as questions. */
@Module({
  imports: [ChunksModule, HttpModule, MultivectorModule, ReadingModule, StorageModule, VectorsModule],
  providers: [ImageQuestions, MaxSimThreads, PageImages, PageRepository, PageRetrieval, PageSearch],
  exports: [ImageQuestions, PageImages, PageRepository, PageRetrieval],
})
export class PagesModule {}
