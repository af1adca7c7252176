import { Module } from '@nestjs/common';
import { DocumentTextRepository } from './document-text.repository.js';
import { DocumentRepository } from './document.repository.js';
import { FolderRepository } from './folder.repository.js';

@Module({
  providers: [DocumentRepository, DocumentTextRepository, FolderRepository],
  exports: [DocumentRepository, DocumentTextRepository, FolderRepository],
})
export class CorpusModule {}
