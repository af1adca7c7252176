import { Module } from '@nestjs/common';
import { MultivectorModule } from '../multivector/multivector.module.js';
import { PageRepository } from './page.repository.js';
import { PageSpace } from './page-space.js';
import { PageWriter } from './page-writer.js';

@Module({
  imports: [MultivectorModule],
  providers: [PageRepository, PageSpace, PageWriter],
  exports: [PageRepository, PageSpace, PageWriter],
})
export class PagesModule {}
