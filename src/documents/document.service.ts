import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { statusOf, type DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { JobQueue } from '../ingestion/job-queue.js';
import { historyEntry, keysInChunks } from '../ingestion/version.js';
import { typedMetadataOf } from './document-metadata.js';
import { DocumentRemoval } from './document-removal.js';
import type { DeletedDocumentsDto } from './delete-documents.dto.js';
import { StatusWatch } from './status-watch.js';
import type { MetadataUpdate } from './update/metadata-update.dto.js';

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

/** Reads documents, updates their metadata and deletes them. */
@Injectable()
export class DocumentService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkWriter,
    private readonly removal: DocumentRemoval,
    private readonly statuses: StatusWatch,
    private readonly jobs: JobQueue,
  ) {}

  /** @throws NotFound for an unknown id, and in the same words for another tenant's. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = isUuid(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
    return row;
  }

  /** As `get`, once the document is not `processing` any more, at the latest after so many seconds. */
  async getSettled(scope: Scope, documentId: string, seconds: number): Promise<DocumentRow> {
    const row = await this.get(scope, documentId);
    if (seconds === 0 || statusOf(row) !== 'processing') return row;
    await this.statuses.settled({ appId: scope.appId, documentId: row.external_id }, seconds);
    return this.get(scope, documentId);
  }

  /** The newest document of that name. @throws NotFound when there is none. */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    return row;
  }

  /**
   * Merges metadata over that of a document, whatever else happens to the document at the same time.
   * @throws NotFound for an unknown or foreign id, Invalid for what does not fit its type or is reserved.
   */
  async updateMetadata(scope: Scope, documentId: string, update: MetadataUpdate): Promise<DocumentRow> {
    const { external_id: id } = await this.get(scope, documentId);
    return this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id);
      if (row === null) throw documentNotFound();
      const { metadata, metadataTypes } = typedMetadataOf(row, update, update.loc);
      // What is set for the document takes the place of what rules found in its chunks.
      const overruled = keysInChunks(row, Object.keys(metadata));
      const key = { appId: scope.appId, documentId: id };
      if (overruled.length > 0) {
        await this.chunks.withTimeFor(manager, scope.appId, [id], 0, () =>
          this.chunks.dropMetadata(manager, key, overruled),
        );
      }
      // A file that came before and is still being read does not take these values back.
      await this.jobs.overrule(manager, scope, id, Object.keys(update.metadata));
      const version = row.version + 1;
      return this.documents.mergeMetadata(manager, scope, id, {
        version,
        metadata,
        metadataTypes,
        entry: historyEntry(version, 'metadata', null, metadata),
      });
    });
  }

  /** Removes row, text, chunks, vectors, postings and jobs in one transaction, and the stored files after it. */
  async delete(scope: Scope, documentId: string): Promise<void> {
    if (!isUuid(documentId)) throw documentNotFound();
    const files = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, documentId);
      if (row === null) throw documentNotFound();
      // The id as it is stored: callers may write it in capitals, and keys of objects differ by case.
      return this.removal.remove(manager, scope, [row.external_id]);
    });
    await this.removal.deleteFiles(files);
  }

  /** Deletes documents one after the other, each distinct id once. */
  async deleteAll(scope: Scope, documentIds: readonly string[]): Promise<DeletedDocumentsDto> {
    const results: DeletedDocumentsDto['results'] = [];
    for (const id of new Set(documentIds)) {
      results.push(
        (await this.deleteKnown(scope, id))
          ? { document_id: id, status: 'success', message: `Document ${id} deleted` }
          : { document_id: id, status: 'not_found', message: 'Document not found' },
      );
    }
    return { results };
  }

  private async deleteKnown(scope: Scope, id: string): Promise<boolean> {
    try {
      await this.delete(scope, id);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }
}
