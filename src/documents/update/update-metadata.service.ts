import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { ChunkMetadata } from '../../ingestion/chunk-metadata.js';
import { historyEntry } from '../../ingestion/job-completion.js';
import { typedMetadataOf } from '../document-metadata.js';
import { DocumentService, documentNotFound } from '../document.service.js';
import type { MetadataUpdate } from './metadata-update.dto.js';

/** Merges metadata over that of a document, whatever else happens to the document at the same time. */
@Injectable()
export class UpdateMetadataService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly service: DocumentService,
    private readonly documents: DocumentRepository,
    private readonly chunkMetadata: ChunkMetadata,
  ) {}

  /** @throws NotFound for an unknown or foreign id, Invalid for what does not fit its type or is reserved. */
  async updateMetadata(scope: Scope, documentId: string, update: MetadataUpdate): Promise<DocumentRow> {
    const { external_id: id } = await this.service.get(scope, documentId);
    return this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id);
      if (row === null) throw documentNotFound();
      const { metadata, metadataTypes } = typedMetadataOf(row, update, update.loc);
      await this.chunkMetadata.overrule(manager, scope, row, Object.keys(metadata));
      const version = row.version + 1;
      return this.documents.mergeMetadata(manager, scope, id, {
        version,
        metadata,
        metadataTypes,
        entry: historyEntry(version, 'metadata', null, metadata),
      });
    });
  }
}
