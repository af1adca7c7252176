import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { MultivectorModule } from '../multivector/multivector.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { MaxSimThreads } from './max-sim/max-sim-threads.js';
import { PageImages } from './page-images.js';
import { PageRepository } from './page.repository.js';
import { PageSearch } from './page-search.js';
import { PageSpace } from './page-space.js';
import { PageWriter } from './page-writer.js';

@Module({
  imports: [HttpModule, MultivectorModule, StorageModule],
  providers: [MaxSimThreads, PageImages, PageRepository, PageSearch, PageSpace, PageWriter],
  exports: [PageImages, PageRepository, PageSearch, PageSpace, PageWriter],
})
export class PagesModule {}
