import { Module } from '@nestjs/common';
import { IdempotencyRepository } from '../http/idempotency.repository.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { DocumentService } from './document.service.js';
import { DocumentsController } from './documents.controller.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { ListService } from './list.service.js';
import { UpdateTextService } from './update-text.service.js';

@Module({
  imports: [IngestionModule],
  controllers: [DocumentsController, IngestController],
  providers: [DocumentService, IdempotencyRepository, IngestService, ListService, UpdateTextService],
})
export class DocumentsModule {}
