import { Module } from '@nestjs/common';
import { DocumentRepository } from './document.repository.js';
import { FolderRepository } from './folder.repository.js';

@Module({
  providers: [DocumentRepository, FolderRepository],
  exports: [DocumentRepository, FolderRepository],
})
export class CorpusModule {}
