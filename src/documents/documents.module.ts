import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChunksModule } from '../chunks/chunks.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { HttpModule } from '../http/http.module.js';
import { DocumentSight, Idempotency } from '../http/idempotency/idempotency.js';
import { KeptAnswers } from '../http/idempotency/kept-answers.repository.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { DocumentRemoval } from './document-removal.js';
import { StoredDocumentSight } from './document-sight.js';
import { DocumentService } from './document.service.js';
import { DocumentsController } from './documents.controller.js';
import { FacetService } from './facets/facet.service.js';
import { FacetsController } from './facets/facets.controller.js';
import { FileContents } from './files/file-contents.js';
import { FilesController } from './files/files.controller.js';
import { IngestController } from './ingest/ingest.controller.js';
import { DemoService } from './ingest/demo.service.js';
import { Duplicates } from './ingest/duplicates.js';
import { IngestService } from './ingest/ingest.service.js';
import { ListService } from './listing/list.service.js';
import { PageViews } from './pages/page-views.js';
import { PagesController } from './pages/pages.controller.js';
import { PagesService } from './pages/pages.service.js';
import { Renditions } from './pages/renditions.js';
import { RequeueService } from './ingest/requeue.service.js';
import { SourceStore } from './files/source-store.js';
import { SummaryController } from './summary/summary.controller.js';
import { SummaryService } from './summary/summary.service.js';
import { ChangeDocumentService } from './update/change-document.service.js';
import { IdempotencyKeyEntity } from '../http/idempotency/idempotency-key.entity.js';
import { IdempotencyRepository } from './update/idempotency.repository.js';
import { UpdateFileService } from './update/update-file.service.js';
import { UpdateMetadataService } from './update/update-metadata.service.js';
import { UpdatesController } from './update/updates.controller.js';
import { UpdateTextService } from './update/update-text.service.js';
import { UploadedFileRemoval } from './files/uploaded-file-removal.js';
import { UsableFiles } from './files/usable-files.js';
import { UploadReader } from './files/upload-reader.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([IdempotencyKeyEntity]),
    ChunksModule,
    PagesModule,
    CorpusModule,
    HttpModule,
    IngestionModule,
    ReadingModule,
    StorageModule,
  ],
  controllers: [
    DocumentsController,
    FacetsController,
    FilesController,
    PagesController,
    SummaryController,
    UpdatesController,
    IngestController,
  ],
  providers: [
    DemoService,
    DocumentRemoval,
    DocumentService,
    Duplicates,
    FacetService,
    FileContents,
    { provide: DocumentSight, useClass: StoredDocumentSight },
    Idempotency,
    IdempotencyRepository,
    KeptAnswers,
    IngestService,
    ListService,
    PagesService,
    ChangeDocumentService,
    PageViews,
    Renditions,
    RequeueService,
    SourceStore,
    SummaryService,
    UpdateFileService,
    UpdateMetadataService,
    UpdateTextService,
    UploadedFileRemoval,
    UploadReader,
    UsableFiles,
  ],
  exports: [
    DocumentRemoval,
    DocumentService,
    FileContents,
    IngestService,
    ListService,
    PagesService,
    SourceStore,
    UpdateMetadataService,
    UploadedFileRemoval,
    UploadReader,
  ],
})
export class DocumentsModule {}
