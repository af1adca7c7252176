import { Module } from '@nestjs/common';
import { FileLinks } from '../http/file-links.js';
import { PublicUrl } from '../http/public-url.js';
import { MultivectorModule } from '../multivector/multivector.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { MaxSimThreads } from './max-sim/max-sim-threads.js';
import { PageImages } from './page-images.js';
import { PageRepository } from './page.repository.js';
import { PageSearch } from './page-search.js';
import { PageSpace } from './page-space.js';
import { PageWriter } from './page-writer.js';

@Module({
  imports: [MultivectorModule, StorageModule],
  providers: [
    FileLinks,
    MaxSimThreads,
    PageImages,
    PageRepository,
    PageSearch,
    PageSpace,
    PageWriter,
    PublicUrl,
  ],
  exports: [FileLinks, PageImages, PageRepository, PageSearch, PageSpace, PageWriter],
})
export class PagesModule {}
