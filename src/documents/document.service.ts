import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { NotFound } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { JobRepository } from '../ingestion/job.repository.js';
import { ObjectRemovalRepository } from '../ingestion/object-removal.repository.js';
import { ObjectSweeper } from '../ingestion/object-sweeper.js';
import { documentPrefix } from './files/object-keys.js';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function isDocumentId(text: string): boolean {
  return UUID.test(text);
}

export function documentNotFound(): NotFound {
  return new NotFound('Document not found');
}

/** Reads and deletes documents. */
@Injectable()
export class DocumentService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkWriter,
    private readonly jobs: JobRepository,
    private readonly removals: ObjectRemovalRepository,
    private readonly sweeper: ObjectSweeper,
  ) {}

  /** @throws NotFound for an unknown id, and in the same words for another tenant's. */
  async get(scope: Scope, documentId: string): Promise<DocumentRow> {
    const row = UUID.test(documentId) ? await this.documents.find(scope, documentId) : null;
    if (row === null) throw documentNotFound();
    return row;
  }

  /** The newest document of that name. @throws NotFound when there is none. */
  async getByFilename(scope: Scope, selection: DocumentSelection, filename: string): Promise<DocumentRow> {
    const row = await this.documents.findNewestByFilename(scope, selection, filename);
    if (row === null) throw documentNotFound();
    return row;
  }

  /** Removes row, text, chunks, vectors, postings and jobs in one transaction, and the stored files after it. */
  async delete(scope: Scope, documentId: string): Promise<void> {
    if (!UUID.test(documentId)) throw documentNotFound();
    const files = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, documentId);
      if (row === null) throw documentNotFound();
      // The id as it is stored: callers may write it in capitals, and keys of objects differ by case.
      const removal = { appId: scope.appId, key: documentPrefix(scope.appId, row.external_id) };
      // The jobs go first: then nothing is staged any more, and the row can go without waiting for a worker.
      await this.jobs.remove(manager, scope, documentId, 'all');
      await this.removals.schedule(removal, 0, manager);
      await this.chunks.deleteAll(manager, {
        appId: scope.appId,
        documentId,
        liveRevisions: row.live_revisions,
      });
      await this.documents.delete(manager, scope, documentId);
      return removal;
    });
    await this.sweeper.remove(files);
  }

  /** Deletes documents one after the other. @returns for each distinct id whether it was there. */
  async deleteAll(scope: Scope, documentIds: readonly string[]): Promise<Map<string, boolean>> {
    const deleted = new Map<string, boolean>();
    for (const id of documentIds) {
      if (!deleted.has(id)) deleted.set(id, await this.deleteKnown(scope, id));
    }
    return deleted;
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
