import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { EmbeddingModule } from '../models/embedding/embedding.module.js';
import { HttpModule } from '../http/http.module.js';
import { FoldersModule } from '../folders/folders.module.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { FileBatchService } from './batches/file-batch.service.js';
import { FileBatchWorker } from './batches/file-batch-worker.js';
import { FileBatchesController } from './batches/file-batches.controller.js';
import { ExpirySweep } from './expiry-sweep.js';
import { FileService } from './files/file.service.js';
import { OpenAiFilesController } from './files/files.controller.js';
import { VectorStoreSearchService } from './search/vector-store-search.service.js';
import { AttachmentService } from './store-files/attachment.service.js';
import { StoreFileList } from './store-files/store-file-list.js';
import { StoreFileService } from './store-files/store-file.service.js';
import { StoreFilesController } from './store-files/store-files.controller.js';
import { UsageBytes } from './usage-bytes.js';
import { VectorStoreService } from './vector-stores/vector-store.service.js';
import { VectorStoresController } from './vector-stores/vector-stores.controller.js';

/** Files and vector stores of the OpenAI protocol, over documents, folders and retrieval. */
@Module({
  imports: [
    AuthModule,
    CorpusModule,
    DocumentsModule,
    EmbeddingModule,
    FoldersModule,
    HttpModule,
    IngestionModule,
    RetrievalModule,
    StorageModule,
  ],
  controllers: [OpenAiFilesController, VectorStoresController, StoreFilesController, FileBatchesController],
  providers: [
    AttachmentService,
    ExpirySweep,
    FileBatchService,
    FileBatchWorker,
    FileService,
    StoreFileList,
    StoreFileService,
    UsageBytes,
    VectorStoreSearchService,
    VectorStoreService,
  ],
  exports: [VectorStoreSearchService],
})
export class OpenAiModule {}
