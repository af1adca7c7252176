import { Module } from '@nestjs/common';
import { DocumentTextRepository } from './document-text.repository.js';
import { DocumentRepository } from './document.repository.js';
import { FilenameSearchRepository } from './filename-search.repository.js';
import { FolderRepository } from './folder.repository.js';
import { SummaryRepository } from './summary.repository.js';

@Module({
  providers: [
    DocumentRepository,
    DocumentTextRepository,
    FilenameSearchRepository,
    FolderRepository,
    SummaryRepository,
  ],
  exports: [
    DocumentRepository,
    DocumentTextRepository,
    FilenameSearchRepository,
    FolderRepository,
    SummaryRepository,
  ],
})
export class CorpusModule {}
