import { Module } from '@nestjs/common';
import { IdempotencyRepository } from '../http/idempotency.repository.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { DocumentService } from './document.service.js';
import { DocumentsController } from './documents.controller.js';
import { IdempotentUpdateService } from './idempotent-update.service.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { ListService } from './list.service.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';
import { SourceStore } from './source-store.js';
import { UpdateMetadataController } from './update-metadata.controller.js';
import { UpdateMetadataService } from './update-metadata.service.js';
import { UpdateTextController } from './update-text.controller.js';
import { UpdateTextService } from './update-text.service.js';
import { UploadReader } from './upload-reader.js';

@Module({
  imports: [IngestionModule],
  controllers: [
    DocumentsController,
    IngestController,
    SearchController,
    UpdateMetadataController,
    UpdateTextController,
  ],
  providers: [
    DocumentService,
    IdempotencyRepository,
    IdempotentUpdateService,
    IngestService,
    ListService,
    SearchService,
    SourceStore,
    UpdateMetadataService,
    UpdateTextService,
    UploadReader,
  ],
})
export class DocumentsModule {}
