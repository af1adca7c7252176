import { Module } from '@nestjs/common';
import { IdempotencyRepository } from '../http/idempotency.repository.js';
import { PublicUrl } from '../http/public-url.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { DocumentService } from './document.service.js';
import { DocumentsController } from './documents.controller.js';
import { FileDelivery } from './file-delivery.js';
import { FileLinks } from './file-links.js';
import { FilesController } from './files.controller.js';
import { IdempotentUpdateService } from './idempotent-update.service.js';
import { IngestController } from './ingest.controller.js';
import { IngestFilesService } from './ingest-files.service.js';
import { IngestService } from './ingest.service.js';
import { ListService } from './list.service.js';
import { RequeueController } from './requeue.controller.js';
import { RequeueService } from './requeue.service.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';
import { SourceStore } from './source-store.js';
import { UpdateFileController } from './update-file.controller.js';
import { UpdateFileService } from './update-file.service.js';
import { UpdateMetadataController } from './update-metadata.controller.js';
import { UpdateMetadataService } from './update-metadata.service.js';
import { UpdateTextController } from './update-text.controller.js';
import { UpdateTextService } from './update-text.service.js';
import { UploadReader } from './upload-reader.js';

@Module({
  imports: [IngestionModule],
  controllers: [
    DocumentsController,
    FilesController,
    IngestController,
    RequeueController,
    SearchController,
    UpdateFileController,
    UpdateMetadataController,
    UpdateTextController,
  ],
  providers: [
    DocumentService,
    FileDelivery,
    FileLinks,
    IdempotencyRepository,
    IdempotentUpdateService,
    IngestFilesService,
    IngestService,
    ListService,
    PublicUrl,
    RequeueService,
    SearchService,
    SourceStore,
    UpdateFileService,
    UpdateMetadataService,
    UpdateTextService,
    UploadReader,
  ],
})
export class DocumentsModule {}
