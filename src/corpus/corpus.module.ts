import { Module } from '@nestjs/common';
import { DocumentEventRepository } from './document-event.repository.js';
import { DocumentListRepository } from './document-list.repository.js';
import { DocumentTextRepository } from './document-text.repository.js';
import { DocumentRepository } from './document.repository.js';
import { FacetRepository } from './facet.repository.js';
import { FilenameSearchRepository } from './filename-search.repository.js';
import { FolderDocumentsRepository } from './folder-documents.repository.js';
import { FolderListRepository } from './folder-list.repository.js';
import { FolderOwnerRepository } from './folder-owner.repository.js';
import { FolderTreeRepository } from './folder-tree.repository.js';
import { FolderRepository } from './folder.repository.js';
import { SummaryRepository } from './summary.repository.js';
import { DetachedFilesRepository } from './vector-stores/detached-files.repository.js';
import { FileBatchRepository } from './vector-stores/file-batch.repository.js';
import { FileRepository } from './vector-stores/file.repository.js';
import { StoreFileRepository } from './vector-stores/store-file.repository.js';
import { VectorStoreRepository } from './vector-stores/vector-store.repository.js';

const REPOSITORIES = [
  DocumentEventRepository,
  DocumentListRepository,
  DocumentRepository,
  DocumentTextRepository,
  FacetRepository,
  FilenameSearchRepository,
  FolderDocumentsRepository,
  FolderListRepository,
  FolderOwnerRepository,
  FolderRepository,
  FolderTreeRepository,
  DetachedFilesRepository,
  FileBatchRepository,
  FileRepository,
  StoreFileRepository,
  SummaryRepository,
  VectorStoreRepository,
];

@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class CorpusModule {}
